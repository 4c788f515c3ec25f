-- Ends a job that nobody holds; its row is locked by this transaction.
WITH ended AS (DELETE FROM {schema}.muster_jobs WHERE id = ? RETURNING *),
edges AS (
  DELETE FROM {schema}.muster_job_dependencies d USING ended WHERE d.child = ANY (ARRAY[ended.id]))
INSERT INTO {schema}.muster_job_history
  ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
SELECT {kept}, NULL, {schema}.muster_clock(), NULL, crashes, 'cancelled', NULL, error, NULL
FROM ended
