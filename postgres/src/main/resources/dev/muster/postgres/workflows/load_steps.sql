-- All steps of a run, in the order in which they were stored. The day is looked up first, so that only its partition is read. The texts are made
-- last, so that they need not be sorted.
SELECT l.path, l.name, l.kind, l.status, l.attempt, {schema}.muster_text(l.result) AS result, l.error, l.due_at, l.compensation,
       {schema}.muster_text(l.compensation_args) AS compensation_args, l.node_id, l.stored_at
FROM (
  SELECT s.path, s.name, s.kind, s.status, s.attempt, s.result, s.error, s.due_at, s.compensation, s.compensation_args, s.node_id,
         s.stored_at
  FROM {schema}.muster_workflow_steps s
  WHERE s.run_id = ? AND s.steps_from = (SELECT r.steps_from FROM {schema}.muster_workflow_runs r WHERE r.id = ?) ORDER BY s.seq) l
