-- All steps of a run, in the order in which they were stored. The day is looked up first, so that only its partition is read. Results
-- behind the first 16 MB of them, as they are stored, are left out. The texts are made last, so that they need not be sorted.
SELECT l.path, l.name, l.kind, l.status, l.attempt, CASE WHEN l.size <= 16777216 THEN {schema}.muster_text(l.result) END AS result,
       l.size > 16777216 AND l.result IS NOT NULL AS left_out, l.error, l.due_at, l.compensation, l.node_id, l.stored_at
FROM (
  SELECT s.path, s.name, s.kind, s.status, s.attempt, s.result, s.error, s.due_at, s.compensation, s.node_id, s.stored_at, s.seq,
         sum(coalesce(pg_column_size(s.result), 0)) OVER (ORDER BY s.seq) AS size
  FROM {schema}.muster_workflow_steps s
  WHERE s.run_id = ? AND s.steps_from = (SELECT r.steps_from FROM {schema}.muster_workflow_runs r WHERE r.id = ?)) l
ORDER BY l.seq
