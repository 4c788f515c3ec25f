-- Makes claimed jobs pending again: with a delay after a failure (the attempt counts) or a snooze (it does not count), or without one
-- (delay null) for a release, where nothing counts and the job comes first in its priority, or in the one that it was lifted to
-- (jobs/lift.sql; priorities are 25 apart). With a delay it gets its own priority again. A job that was asked to cancel ends. A
-- suspect whose handler was entered and returned is no longer a suspect; a snooze with an error means that it was not entered.
-- A job of a group that waits for its next attempt gives its place back and waits for admission again, unless the group is ordered. While it has
-- its place, its ready_at never gets earlier, not even if the clock steps back: it is found from the group's floor on.
-- What is kept in muster_job_attempts: every retry, and releases of handlers that were entered. A job may snooze forever, so of its
-- snoozes with the same reason one per hour is kept. The claims are read as the snapshot of this statement has them, which is before
-- they were given up.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::bool[], ?::text[], ?::bigint[])
    AS o (id, token, delay_ms, counts, error, ran_ms)),
back AS (
  UPDATE {schema}.muster_jobs j
  SET token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
      status = CASE WHEN {jobs/parts/gives_place_back} THEN 'waiting' ELSE 'pending' END,
      attempt = CASE WHEN o.counts THEN j.attempt ELSE j.attempt - 1 END,
      rank = CASE WHEN o.delay_ms IS NULL THEN j.rank - j.rank % 25 + 1
                  WHEN {jobs/parts/gives_place_back} THEN {schema}.muster_rank_in_group(j.concurrency_group, j.priority, false)
                  ELSE j.priority END,
      run_at = CASE WHEN o.delay_ms IS NULL THEN j.run_at
                    ELSE {schema}.muster_clock() + o.delay_ms * interval '1 millisecond' END,
      ready_at = CASE WHEN {jobs/parts/gives_place_back} THEN 'infinity'
                      ELSE greatest(CASE WHEN j.concurrency_group IS NOT NULL THEN j.ready_at END,
                                    {schema}.muster_clock() + coalesce(o.delay_ms, 0) * interval '1 millisecond') END,
      group_position = CASE WHEN {jobs/parts/gives_place_back} THEN {schema}.muster_group_clock() + o.delay_ms * interval '1 millisecond'
                     ELSE j.group_position END,
      suspect = j.suspect AND (o.delay_ms IS NULL OR (NOT o.counts AND o.error IS NOT NULL)),
      error = coalesce(o.error, j.error)
  FROM o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND NOT j.cancel_requested
  RETURNING j.id, o.token, j.queue, j.capability, j.status = 'waiting' AS not_admitted, o.delay_ms, o.counts, o.error AS reason, o.ran_ms),
attempts AS (
  INSERT INTO {schema}.muster_job_attempts (job_id, attempt, token, node_id, started_at, ended_at, outcome, error)
  SELECT back.id, j.attempt, back.token, j.node_id,
         coalesce(j.started_at, {schema}.muster_clock() - back.ran_ms * interval '1 millisecond'), {schema}.muster_clock(),
         CASE WHEN back.counts THEN 'retried' WHEN back.delay_ms IS NOT NULL THEN 'snoozed' ELSE 'released' END, back.reason
  FROM back
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[back.id]) AND j.token = back.token
  WHERE CASE WHEN back.counts THEN true
             WHEN back.delay_ms IS NULL THEN back.ran_ms IS NOT NULL OR j.status = 'running'
             ELSE NOT EXISTS (SELECT FROM {schema}.muster_job_attempts a
                              WHERE a.job_id = back.id AND a.outcome = 'snoozed' AND a.error IS NOT DISTINCT FROM back.reason
                                AND a.ended_at > {schema}.muster_statement_clock() - interval '1 hour' OFFSET 0) END),
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
SELECT id, token, queue, capability, delay_ms, not_admitted FROM back
UNION ALL
SELECT id, token, NULL, NULL, NULL, NULL FROM history
