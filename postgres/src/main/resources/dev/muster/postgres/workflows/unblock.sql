-- Takes back the marks of runs whose version a live node has again.
WITH target AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at IS NULL AND r.status IN ('blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch') AND r.resolution_reason LIKE 'no live node has %'
    AND NOT EXISTS (SELECT FROM unnest(?::text[], ?::text[], ?::text[]) AS s (name, version, signature)
                    WHERE s.name = r.workflow_name AND s.version = r.workflow_version AND s.signature = r.signature)
  LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED)
UPDATE {schema}.muster_workflow_runs r
SET status = CASE WHEN r.awaiting <> '{}' THEN 'waiting' WHEN r.wake_at > {schema}.muster_clock() THEN 'sleeping' ELSE 'pending' END,
    resolution_reason = NULL, changed_at = {schema}.muster_clock()
FROM target WHERE r.id = ANY (ARRAY[target.id])
