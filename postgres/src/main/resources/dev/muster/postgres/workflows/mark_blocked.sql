-- Marks runs of versions that no live node can resume, and takes back the marks of others, in a window of live runs. A run that compensates
-- keeps its status, and one that was asked to end keeps the reason for that.
WITH {workflows/parts/window},
stranded AS MATERIALIZED (
  SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) AS s (name, version, signature, status, reason)),
target AS MATERIALIZED (
  SELECT run.*
  FROM part CROSS JOIN LATERAL (
    SELECT r.id, s.status, s.reason
    FROM {schema}.muster_workflow_runs r
    LEFT JOIN stranded s ON s.name = r.workflow_name AND s.version = r.workflow_version AND s.signature = r.signature
    WHERE r.id = part.id AND r.finished_at IS NULL
      AND CASE WHEN s.name IS NOT NULL THEN r.status NOT IN (s.status, 'compensating')
               ELSE r.status IN ('blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch')
                    AND (r.cancel_requested OR r.resolution_reason LIKE {phrase:no_live_node} || '%') END
    FOR NO KEY UPDATE OF r SKIP LOCKED) run
  LIMIT 500),
changed AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = coalesce(target.status, CASE WHEN r.awaiting <> '{}' THEN 'waiting' WHEN r.wake_at > {schema}.muster_clock() THEN 'sleeping'
                                            ELSE 'pending' END),
      resolution_reason = CASE WHEN r.cancel_requested THEN r.resolution_reason ELSE target.reason END,
      changed_at = {schema}.muster_clock()
  FROM target WHERE r.id = ANY (ARRAY[target.id])
  RETURNING r.id)
SELECT (SELECT count(*) FROM changed)::int AS changed, {workflows/parts/window_end} AS last
