-- Ends a job that nobody holds; its row is locked by this transaction.
WITH ended AS (DELETE FROM {schema}.muster_jobs WHERE id = ? RETURNING *)
INSERT INTO {schema}.muster_job_history
  (id, token, finished_at, run_at, created_at, started_at, timeout_ms, priority, attempt, max_attempts, crashes,
   max_crashes, status, name, queue, capability, node_id, key, error, args, metadata, result)
SELECT id, NULL, {schema}.muster_clock(), run_at, created_at, NULL, timeout_ms, priority, attempt, max_attempts, crashes,
       max_crashes, 'cancelled', name, queue, capability, NULL, key, error, args, metadata, NULL
FROM ended
