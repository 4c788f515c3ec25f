-- Gives up the live runs of a version; a trigger removes their drivers.
UPDATE {schema}.muster_workflow_runs r SET status = 'retired_unresumable', resolution_reason = ?
WHERE r.workflow_name = ? AND r.workflow_version = ? AND r.finished_at IS NULL
