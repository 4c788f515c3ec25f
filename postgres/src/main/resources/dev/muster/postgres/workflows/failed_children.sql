-- The children whose ends have failed a run, and what has become of them: null if retention has deleted them. A child may have been retried
-- alone since. Of runs that continue one another the last counts.
SELECT s.path, s.name, coalesce(c.id, (s.result ->> 'run')::uuid) AS child, c.status, c.finished_at IS NOT NULL AS ended
FROM {schema}.muster_workflow_runs r
JOIN {schema}.muster_workflow_steps s ON s.run_id = r.id AND s.steps_from = r.steps_from
LEFT JOIN LATERAL (
  SELECT c.id, c.status, c.finished_at FROM {schema}.muster_workflow_runs c
  WHERE c.parent_run = r.id AND c.parent_path = s.path AND c.continued_as IS NULL LIMIT 1) c ON true
WHERE r.id = ? AND r.status = 'failed' AND s.path = ANY (r.failed_steps) AND s.kind = 'child' AND s.status = 'completed'
