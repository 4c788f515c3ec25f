-- Takes claims whose lease ran out from their node, along index muster_jobs_lease. The lower bound keeps the scan
-- off the index's dead end. A claim whose start was written is charged a crash; too many crashes end the job.
-- A job that was asked to cancel ends as cancelled.
WITH dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, j.status = 'running' AS crash,
         CASE WHEN j.cancel_requested THEN 'cancelled'
              WHEN j.status = 'running' AND j.crashes + 1 >=
                   greatest(coalesce(j.max_crashes, CASE WHEN j.max_attempts = 1 THEN 0 ELSE 5 END), 1) THEN 'failed'
              ELSE 'pending' END AS next_status
  FROM {schema}.muster_jobs j
  WHERE j.lease_until < {schema}.muster_statement_clock()
    AND j.lease_until >= {schema}.muster_statement_clock() - ? * interval '1 millisecond'
    AND j.lease_until IS NOT NULL
  ORDER BY j.lease_until
  LIMIT ?
  FOR UPDATE SKIP LOCKED),
back AS (
  UPDATE {schema}.muster_jobs j
  SET status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL, suspect = true,
      attempt = j.attempt - 1, crashes = j.crashes + dead.crash::int, rank = j.priority + 1,
      ready_at = {schema}.muster_clock()
  FROM dead
  WHERE j.id = ANY (ARRAY[dead.id]) AND dead.next_status = 'pending'
  RETURNING j.id),
ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING dead
  WHERE j.id = ANY (ARRAY[dead.id]) AND dead.next_status <> 'pending'
  RETURNING j.*, dead.crash, dead.next_status),
history AS (
  INSERT INTO {schema}.muster_job_history
    ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes + crash::int, next_status, node_id,
         CASE next_status
           WHEN 'cancelled' THEN 'cancelled while its node was lost'
           ELSE 'node ' || node_id || ' died running it (crash ' || crashes + crash::int || '); too often to try again'
         END,
         NULL
  FROM ended)
SELECT j.id, j.name, j.queue, j.capability, dead.node_id, dead.crash, dead.next_status,
       (date_part('epoch', {schema}.muster_clock() - dead.lease_until) * 1000)::bigint AS lease_age_ms
FROM dead JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[dead.id])
