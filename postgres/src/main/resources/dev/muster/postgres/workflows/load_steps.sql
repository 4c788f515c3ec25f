-- All steps of a run, in the order in which they were stored. The day is looked up first, so that only its partition is read.
SELECT s.path, s.name, s.kind, s.status, s.attempt, s.result, s.error, s.due_at, s.compensation, s.compensation_args, s.node_id,
       s.stored_at
FROM {schema}.muster_workflow_steps s
WHERE s.run_id = ? AND s.steps_from = (SELECT r.steps_from FROM {schema}.muster_workflow_runs r WHERE r.id = ?) ORDER BY s.seq
