-- All steps of some runs, in the order in which they were stored.
SELECT r.id, s.path, s.name, s.kind, s.status, s.attempt, s.result, s.error, s.due_at, s.compensation, s.compensation_args, s.node_id,
       s.stored_at
FROM {schema}.muster_workflow_runs r
JOIN {schema}.muster_workflow_steps s ON s.run_id = r.id AND s.steps_from = r.steps_from
WHERE r.id = ANY (?::uuid[]) ORDER BY s.seq
