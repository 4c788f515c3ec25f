-- Makes ended jobs live again, with all their counts at zero. Drivers of workflows and jobs of graphs' tasks are left alone. Jobs that no
-- node had claimed and that depend on others wait for them again, until later statements of this transaction have checked them. A job that
-- was claimed had its dependencies fulfilled. A job of a group is put at the end of it.
-- History has the last attempt of a job; as the job leaves history, that attempt moves to muster_job_attempts, which always has the
-- partitions of yesterday and today. If the job ended before that, the attempt is forgotten.
WITH ended AS (
  DELETE FROM {schema}.muster_job_history WHERE {which} AND status IN ('failed', 'cancelled', 'expired') AND {no_driver}
    AND args ->> '$muster' IS DISTINCT FROM 'graph' RETURNING *),
slate AS MATERIALIZED (
  SELECT ended.*, attempt = 0 AND (depends_on IS NOT NULL OR depends_on_any IS NOT NULL) AS waits FROM ended),
attempts AS (
  INSERT INTO {schema}.muster_job_attempts (job_id, attempt, token, node_id, started_at, ended_at, outcome, error)
  SELECT id, attempt, token, node_id, started_at, finished_at, status, error
  FROM slate
  WHERE token IS NOT NULL
    AND finished_at >= date_trunc('day', {schema}.muster_clock() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 day'),
edges AS (
  INSERT INTO {schema}.muster_job_dependencies (child, parent, any_outcome)
  SELECT id, unnest(depends_on), false FROM slate WHERE waits
  UNION ALL
  SELECT id, unnest(depends_on_any), true FROM slate WHERE waits
  ON CONFLICT DO NOTHING)
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, status, run_at, ready_at, created_at, args, key, max_attempts,
   max_crashes, timeout_ms, metadata, tags, depends_on, depends_on_any, batch_id, concurrency_group, group_position, trace)
SELECT id, name, queue, capability, priority,
       CASE WHEN concurrency_group IS NULL THEN priority ELSE {schema}.muster_rank_in_group(concurrency_group, priority, true) END,
       CASE WHEN waits OR concurrency_group IS NOT NULL THEN 'waiting' ELSE 'pending' END,
       {schema}.muster_clock(), CASE WHEN waits OR concurrency_group IS NOT NULL THEN 'infinity' ELSE {schema}.muster_clock() END,
       created_at, args, key, max_attempts, max_crashes, timeout_ms, metadata, tags, depends_on, depends_on_any, batch_id,
       concurrency_group, CASE WHEN concurrency_group IS NOT NULL AND NOT waits THEN {schema}.muster_position_in_group(concurrency_group) END, trace
FROM slate
RETURNING id, queue, capability, status = 'waiting' AND group_position IS NULL AS waits, concurrency_group, metadata ->> 'muster.tenant' AS tenant
