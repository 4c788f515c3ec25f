-- The steps with which children have failed a run, and the children as these steps have stored them. Along the primary keys: the day and the
-- paths are looked up first.
SELECT s.path, s.name, (s.result ->> 'run')::uuid AS child
FROM {schema}.muster_workflow_steps s
WHERE s.run_id = ? AND s.steps_from = (SELECT r.steps_from FROM {schema}.muster_workflow_runs r WHERE r.id = ?)
  AND s.path = ANY ((SELECT r.failed_steps FROM {schema}.muster_workflow_runs r WHERE r.id = ? AND r.status = 'failed')::text[])
  AND s.kind = 'child' AND s.status = 'completed'
