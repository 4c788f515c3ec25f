-- The blocked runs of these versions in a window of live runs are due at once, because there may be the right code now. One that still sleeps
-- or waits parks again. Runs that the leader has marked because no node was there are left out: it takes back their marks, and they keep
-- their due times.
WITH {workflows/parts/window},
version AS MATERIALIZED (SELECT * FROM unnest(?::text[], ?::text[]) AS v (name, version)),
target AS MATERIALIZED (
  SELECT driver.*
  FROM part CROSS JOIN LATERAL (
    SELECT j.id
    FROM {schema}.muster_workflow_runs r JOIN {schema}.muster_jobs j ON j.id = r.id
    WHERE r.id = part.id AND r.finished_at IS NULL
      AND r.status IN ('blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch')
      AND coalesce(r.resolution_reason, '') NOT LIKE {phrase:no_live_node} || '%'
      AND EXISTS (SELECT FROM version v WHERE v.name = r.workflow_name AND v.version = r.workflow_version OFFSET 0)
      AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > {schema}.muster_clock()
    FOR UPDATE OF j SKIP LOCKED) driver
  LIMIT 500),
woken AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM target WHERE j.id = ANY (ARRAY[target.id])
  RETURNING j.id)
SELECT (SELECT count(*) FROM woken)::int AS changed, {workflows/parts/window_end} AS last
