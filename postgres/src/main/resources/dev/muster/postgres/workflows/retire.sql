-- Gives up some of the live runs of a version; a trigger removes their drivers.
WITH target AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.workflow_name = ? AND r.workflow_version = ? AND r.finished_at IS NULL ORDER BY r.id LIMIT 1000 FOR NO KEY UPDATE)
UPDATE {schema}.muster_workflow_runs r SET status = 'retired_unresumable', resolution_reason = ?
FROM target WHERE r.id = ANY (ARRAY[target.id])
