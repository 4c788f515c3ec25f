-- Ends jobs that nobody holds and that the filter names, by id from one on: each batch passes by what earlier ones ended.
WITH target AS MATERIALIZED (
  SELECT id FROM {schema}.muster_jobs WHERE id > ? AND status IN ('waiting', 'pending'){filter}
  ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED),
ended AS (DELETE FROM {schema}.muster_jobs j USING target WHERE j.id = ANY (ARRAY[target.id]) RETURNING j.*),
edges AS (
  DELETE FROM {schema}.muster_job_dependencies d USING ended WHERE d.child = ANY (ARRAY[ended.id]))
INSERT INTO {schema}.muster_job_history
  ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
SELECT {kept}, NULL, {schema}.muster_clock(), NULL, crashes, 'cancelled', NULL, error, NULL
FROM ended
RETURNING id
