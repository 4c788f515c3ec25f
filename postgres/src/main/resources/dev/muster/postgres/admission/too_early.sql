-- Puts claimed jobs back that the rate of their group does not let begin yet. They stay admitted, come back at the time that each was told,
-- and go first then. No attempt is counted. A job that was asked to cancel ends. By the primary key.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::bigint[]) AS o (id, token, delay_ms)),
back AS (
  UPDATE {schema}.muster_jobs j
  SET {jobs/parts/back_to_pending}, attempt = j.attempt - 1, rank = j.rank - j.rank % 25 + 1,
      ready_at = greatest(j.ready_at, {schema}.muster_clock() + o.delay_ms * interval '1 millisecond')
  FROM o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND NOT j.cancel_requested
  RETURNING j.id, o.token, j.queue, j.capability, o.delay_ms),
cancelled AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND j.cancel_requested
  RETURNING j.*),
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes, 'cancelled', node_id, error, NULL
  FROM cancelled
  RETURNING id, token)
SELECT id, token, queue, capability, delay_ms FROM back
UNION ALL
SELECT id, token, NULL, NULL, NULL FROM history
