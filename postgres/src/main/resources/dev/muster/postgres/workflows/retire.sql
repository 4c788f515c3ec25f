-- Gives up some of the live runs of a version, from a given one on; a trigger removes their drivers. Along index muster_workflow_runs_live.
-- Few at a time: the trigger runs for each of them.
WITH target AS MATERIALIZED (
  SELECT r.id, r.signature FROM {schema}.muster_workflow_runs r
  WHERE r.workflow_name = ? AND r.workflow_version = ? AND r.finished_at IS NULL AND (r.signature, r.id) > (?, ?)
  ORDER BY r.workflow_name, r.workflow_version, r.signature, r.id LIMIT 200 FOR NO KEY UPDATE),
retired AS (
  UPDATE {schema}.muster_workflow_runs r SET status = 'retired_unresumable', resolution_reason = ?
  FROM target WHERE r.id = ANY (ARRAY[target.id])
  RETURNING r.id)
SELECT (SELECT count(*) FROM retired)::int AS changed, t.signature, t.id
FROM (SELECT) one LEFT JOIN (SELECT target.signature, target.id FROM target ORDER BY target.signature, target.id OFFSET 199 LIMIT 1) t ON true
