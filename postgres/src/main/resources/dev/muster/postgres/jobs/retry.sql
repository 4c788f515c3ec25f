-- Puts ended jobs back with a clean slate: those that no node had taken and that depend on others wait for these again, until
-- what follows in the same transaction has looked at them. One that was taken had what it depends on.
WITH ended AS (
  DELETE FROM {schema}.muster_job_history WHERE {which} AND status IN ('failed', 'cancelled', 'expired') RETURNING *),
slate AS MATERIALIZED (
  SELECT ended.*, attempt = 0 AND (depends_on IS NOT NULL OR depends_on_any IS NOT NULL) AS waits FROM ended),
edges AS (
  INSERT INTO {schema}.muster_job_dependencies (child, parent, any_outcome)
  SELECT id, unnest(depends_on), false FROM slate WHERE waits
  UNION ALL
  SELECT id, unnest(depends_on_any), true FROM slate WHERE waits
  ON CONFLICT DO NOTHING)
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, status, run_at, ready_at, created_at, args, key, max_attempts,
   max_crashes, timeout_ms, metadata, tags, depends_on, depends_on_any)
SELECT id, name, queue, capability, priority, priority, CASE WHEN waits THEN 'waiting' ELSE 'pending' END,
       {schema}.muster_clock(), CASE WHEN waits THEN 'infinity' ELSE {schema}.muster_clock() END,
       created_at, args, key, max_attempts, max_crashes, timeout_ms, metadata, tags, depends_on, depends_on_any
FROM slate
RETURNING id, queue, capability, status = 'waiting' AS waits
