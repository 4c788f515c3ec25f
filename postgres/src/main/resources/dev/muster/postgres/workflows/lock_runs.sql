-- Locks runs, and the parents of those that end, before anything is decided about them: whoever sends an event does the same.
SELECT r.id FROM {schema}.muster_workflow_runs r
WHERE r.id = ANY (?::uuid[])
   OR r.id IN (SELECT c.parent_run FROM {schema}.muster_workflow_runs c WHERE c.id = ANY (?::uuid[]))
ORDER BY r.id FOR NO KEY UPDATE OF r
