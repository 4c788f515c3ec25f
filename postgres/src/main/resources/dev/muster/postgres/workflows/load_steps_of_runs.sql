-- All steps of some runs, in the order in which they were stored. OFFSET 0 makes the planner look for the steps of one run after the other;
-- otherwise it would walk all steps when it believes their tables to be nearly empty. The texts are made last, so that they need not be
-- sorted.
SELECT l.id, l.path, l.name, l.kind, l.status, l.attempt, {schema}.muster_text(l.result) AS result, l.error, l.due_at, l.compensation,
       {schema}.muster_text(l.compensation_args) AS compensation_args
FROM (
  SELECT r.id, s.*
  FROM (SELECT id, steps_from FROM {schema}.muster_workflow_runs WHERE id = ANY (?::uuid[]) OFFSET 0) r
  CROSS JOIN LATERAL (
    SELECT s.seq, s.path, s.name, s.kind, s.status, s.attempt, s.result, s.error, s.due_at, s.compensation, s.compensation_args
    FROM {schema}.muster_workflow_steps s WHERE s.run_id = r.id AND s.steps_from = r.steps_from OFFSET 0) s
  ORDER BY s.seq) l
