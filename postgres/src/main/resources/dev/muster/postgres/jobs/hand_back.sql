-- Puts claimed jobs back in line: after a failure with a delay (the attempt counts), or released (delay null:
-- nothing counts, and the job goes first in its priority). A job that was asked to cancel ends instead.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::text[]) AS o (id, token, delay_ms, error)),
back AS (
  UPDATE {schema}.muster_jobs j
  SET status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
      attempt = CASE WHEN o.delay_ms IS NULL THEN j.attempt - 1 ELSE j.attempt END,
      rank = CASE WHEN o.delay_ms IS NULL THEN j.priority + 1 ELSE j.priority END,
      run_at = CASE WHEN o.delay_ms IS NULL THEN j.run_at
                    ELSE {schema}.muster_clock() + o.delay_ms * interval '1 millisecond' END,
      ready_at = {schema}.muster_clock() + coalesce(o.delay_ms, 0) * interval '1 millisecond',
      suspect = j.suspect AND o.delay_ms IS NULL,
      error = coalesce(o.error, j.error)
  FROM o
  WHERE j.id = o.id AND j.token = o.token AND NOT j.cancel_requested
  RETURNING j.id, o.token, j.queue, j.capability),
cancelled AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = o.id AND j.token = o.token AND j.cancel_requested
  RETURNING j.*, o.error AS end_error),
history AS (
  INSERT INTO {schema}.muster_job_history
    (id, token, finished_at, run_at, created_at, started_at, timeout_ms, priority, attempt, max_attempts, crashes,
     max_crashes, status, name, queue, capability, node_id, key, error, args, metadata, result)
  SELECT id, token, {schema}.muster_clock(), run_at, created_at, started_at, timeout_ms, priority, attempt,
         max_attempts, crashes, max_crashes, 'cancelled', name, queue, capability, node_id, key,
         coalesce(end_error, error), args, metadata, NULL
  FROM cancelled
  RETURNING id, token)
SELECT id, token, queue, capability FROM back
UNION ALL
SELECT id, token, NULL, NULL FROM history
