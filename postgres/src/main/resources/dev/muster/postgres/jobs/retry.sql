-- Puts an ended job back in line with a clean slate.
WITH ended AS (
  DELETE FROM {schema}.muster_job_history WHERE id = ? AND status IN ('failed', 'cancelled', 'expired') RETURNING *)
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, status, run_at, ready_at, created_at, args, key, max_attempts,
   max_crashes, timeout_ms, metadata, tags)
SELECT id, name, queue, capability, priority, priority, 'pending', {schema}.muster_clock(), {schema}.muster_clock(),
       created_at, args, key, max_attempts, max_crashes, timeout_ms, metadata, tags
FROM ended
RETURNING queue, capability
