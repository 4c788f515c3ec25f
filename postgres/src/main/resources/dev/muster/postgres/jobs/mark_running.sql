-- Shows claims as running, with the limits of their handler, so that a crash can be judged without the handler. This takes the jobs
-- out of index muster_jobs_ready, so that claims need not skip long-running jobs. A job that was cancelled before it started (ago_ms
-- is 0) is not marked: it does not start. A job of a group stays in the index: it is counted by its ready_at.
WITH mine AS MATERIALIZED (
  SELECT j.id, o.ago_ms, o.max_attempts, o.max_crashes
  FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::smallint[], ?::smallint[])
    AS o (id, token, ago_ms, max_attempts, max_crashes)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[o.id]) AND j.token = o.token
    AND (o.ago_ms > 0 OR NOT j.cancel_requested)
  FOR NO KEY UPDATE OF j SKIP LOCKED)
UPDATE {schema}.muster_jobs j
SET status = 'running', ready_at = CASE WHEN j.concurrency_group IS NOT NULL THEN j.ready_at END, started_at = {schema}.muster_clock() - mine.ago_ms * interval '1 millisecond',
    max_attempts = mine.max_attempts, max_crashes = mine.max_crashes
FROM mine
WHERE j.id = ANY (ARRAY[mine.id])
RETURNING j.id, j.token
