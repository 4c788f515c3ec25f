-- Locks runs before anything is decided about them: whoever parks a run or sends it an event does the same.
SELECT r.id FROM {schema}.muster_workflow_runs r WHERE r.id = ANY (?::uuid[]) ORDER BY r.id FOR NO KEY UPDATE
