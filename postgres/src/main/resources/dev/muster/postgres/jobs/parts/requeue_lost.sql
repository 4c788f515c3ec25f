-- The common end of requeue_expired.sql, requeue_of_node.sql, requeue_unknown.sql and requeue_crashed.sql: makes the claims in "dead"
-- pending again. A claim whose start was recorded is charged a crash; too many crashes end the job. A job that was asked to cancel ends as
-- cancelled.
-- A job becomes a suspect if it may have started without anyone seeing it, or if it has crashed before. If its start was recorded while it
-- ran, it had run for a while without harm by then, so it is no suspect the first time: this way all jobs of a dead node can run elsewhere
-- at once. A job that is known to have ended its node is a suspect at once.
-- A job comes first in its priority, or in the one that it was lifted to (jobs/lift.sql; priorities are 25 apart). Of a job with a group,
-- ready_at never gets earlier: it is found from the group's floor on. muster_job_attempts keeps which claims were lost, read from the
-- snapshot of this statement, in which they are still there. A claim that was given up before its handler was entered leaves nothing there.
-- If nobody has prepared today's partition yet, nothing is kept: a node that joins after a long time has to get its jobs back before its
-- worker prepares the partitions.
judged AS MATERIALIZED (
  SELECT dead.*,
         CASE WHEN dead.cancel_requested THEN 'cancelled'
              WHEN dead.crash AND dead.crashes + 1 >=
                   greatest(coalesce(dead.max_crashes, CASE WHEN dead.max_attempts = 1 THEN 0 ELSE {default_max_crashes} END), 1) THEN 'failed'
              ELSE 'pending' END AS next_status
  FROM dead),
verdict AS MATERIALIZED (
  SELECT judged.*,
         CASE next_status
           WHEN 'pending' THEN NULL
           WHEN 'cancelled' THEN {phrase:cancelled_with_node} || CASE WHEN blamed THEN 'was lost' ELSE 'gave it back' END
           ELSE CASE WHEN guilty THEN {phrase:exited} || node_id
                     WHEN blamed THEN 'node ' || node_id || {phrase:died}
                     ELSE 'node ' || node_id || {phrase:stopped} END || ' (crash ' || crashes + crash::int || '); too often to try again'
         END AS end_error
  FROM judged),
back AS (
  UPDATE {schema}.muster_jobs j
  SET {jobs/parts/back_to_pending},
      suspect = j.suspect OR verdict.guilty OR verdict.blamed AND NOT (verdict.crash AND j.crashes = 0),
      attempt = j.attempt - 1, crashes = j.crashes + verdict.crash::int, rank = j.rank - j.rank % 25 + 1,
      ready_at = greatest(CASE WHEN j.concurrency_group IS NOT NULL THEN j.ready_at END, {schema}.muster_clock())
  FROM verdict
  WHERE j.id = ANY (ARRAY[verdict.id]) AND verdict.next_status = 'pending'
  RETURNING j.id),
attempts AS (
  INSERT INTO {schema}.muster_job_attempts (job_id, attempt, token, node_id, started_at, ended_at, outcome, error)
  SELECT j.id, j.attempt, j.token, verdict.node_id, j.started_at, {schema}.muster_clock(),
         CASE WHEN verdict.guilty THEN 'crashed' WHEN verdict.blamed THEN 'lost' ELSE 'released' END,
         CASE WHEN verdict.guilty THEN {phrase:exited} || verdict.node_id
              WHEN NOT verdict.blamed THEN 'node ' || verdict.node_id || {phrase:stopped}
              WHEN verdict.crash THEN 'node ' || verdict.node_id || {phrase:died}
              ELSE 'node ' || verdict.node_id || {phrase:lost} END
  FROM verdict
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[verdict.id]) AND j.token IS NOT NULL
  WHERE verdict.next_status = 'pending' AND (verdict.guilty OR verdict.blamed OR j.status = 'running')
    AND to_regclass('{schema}.muster_job_attempts_' || to_char({schema}.muster_statement_clock() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL),
ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING verdict
  WHERE j.id = ANY (ARRAY[verdict.id]) AND verdict.next_status <> 'pending'
  RETURNING j.*, verdict.crash, verdict.next_status, verdict.end_error),
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes + crash::int, next_status, node_id, end_error, NULL
  FROM ended)
SELECT j.id, j.token, j.name, j.queue, j.capability, j.attempt, j.max_attempts, verdict.node_id, verdict.crash, verdict.next_status,
       verdict.crashes + verdict.crash::int AS crashes, verdict.end_error,
       (date_part('epoch', {schema}.muster_clock() - verdict.lease_until) * 1000)::bigint AS lease_age_ms
FROM verdict JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[verdict.id])
