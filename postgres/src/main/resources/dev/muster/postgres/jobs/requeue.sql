-- Makes claimed jobs pending again: with a delay after a failure (the attempt counts) or a snooze (it does not count), or without one
-- (delay null) for a release, where nothing counts and the job comes first in its priority. A job that was asked to cancel ends. A
-- suspect whose handler was entered and returned is no longer a suspect; a snooze with an error means that it was not entered.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::bool[], ?::text[]) AS o (id, token, delay_ms, counts, error)),
back AS (
  UPDATE {schema}.muster_jobs j
  SET {jobs/parts/back_to_pending},
      attempt = CASE WHEN o.counts THEN j.attempt ELSE j.attempt - 1 END,
      rank = CASE WHEN o.delay_ms IS NULL THEN j.priority + 1 ELSE j.priority END,
      run_at = CASE WHEN o.delay_ms IS NULL THEN j.run_at
                    ELSE {schema}.muster_clock() + o.delay_ms * interval '1 millisecond' END,
      ready_at = {schema}.muster_clock() + coalesce(o.delay_ms, 0) * interval '1 millisecond',
      suspect = j.suspect AND (o.delay_ms IS NULL OR (NOT o.counts AND o.error IS NOT NULL)),
      error = coalesce(o.error, j.error)
  FROM o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND NOT j.cancel_requested
  RETURNING j.id, o.token, j.queue, j.capability, o.delay_ms),
cancelled AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND j.cancel_requested
  RETURNING j.*, o.error AS end_error),
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes, 'cancelled', node_id, coalesce(end_error, error), NULL
  FROM cancelled
  RETURNING id, token)
SELECT id, token, queue, capability, delay_ms FROM back
UNION ALL
SELECT id, token, NULL, NULL, NULL FROM history
