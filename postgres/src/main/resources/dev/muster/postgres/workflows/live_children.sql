-- Some children of a run that nobody has asked to end yet.
SELECT r.id FROM {schema}.muster_workflow_runs r
WHERE r.parent_run = ? AND r.finished_at IS NULL AND NOT r.cancel_requested LIMIT 500
