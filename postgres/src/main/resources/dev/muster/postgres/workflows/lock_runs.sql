-- Locks runs, and the parents of those that end, before anything is decided about them: whoever sends an event does the same.
SELECT r.id FROM {schema}.muster_workflow_runs r
WHERE r.id = ANY (ARRAY(
  SELECT unnest(?::uuid[])
  UNION SELECT c.parent_run FROM {schema}.muster_workflow_runs c WHERE c.id = ANY (?::uuid[]) AND c.parent_run IS NOT NULL))
ORDER BY r.id FOR NO KEY UPDATE OF r
