-- The blocked runs of these versions in a window of live runs are due at once, because there may be the right code now. One that still sleeps
-- or waits parks again. Runs that the leader has marked because no node was there are left out: it takes back their marks, and they keep
-- their due times.
WITH part AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at IS NULL AND r.id > ? ORDER BY r.id LIMIT 5000),
target AS MATERIALIZED (
  SELECT j.id
  FROM part
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[part.id])
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[part.id])
  WHERE r.finished_at IS NULL AND r.status IN ('blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch')
    AND coalesce(r.resolution_reason, '') NOT LIKE 'no live node has %'
    AND (r.workflow_name, r.workflow_version) IN (SELECT * FROM unnest(?::text[], ?::text[]))
    AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > {schema}.muster_clock()
  FOR UPDATE OF j SKIP LOCKED),
woken AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM target WHERE j.id = ANY (ARRAY[target.id])
  RETURNING j.id)
SELECT (SELECT count(*) FROM woken)::int AS changed, (SELECT p.id FROM part p ORDER BY p.id OFFSET 4999 LIMIT 1) AS last
