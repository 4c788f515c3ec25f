-- Deletes batches that were closed long ago, and batches that somebody created long ago and never sealed, unless jobs of them are live.
WITH closed AS MATERIALIZED (
  SELECT b.id FROM {schema}.muster_batches b
  WHERE b.closed_at < {schema}.muster_clock() - ? * interval '1 millisecond' LIMIT ? FOR UPDATE SKIP LOCKED),
abandoned AS MATERIALIZED (
  SELECT b.id FROM {schema}.muster_batches b
  WHERE b.closed_at IS NULL AND b.status = 'open' AND b.created_at < {schema}.muster_clock() - ? * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.batch_id = b.id) LIMIT ? FOR UPDATE OF b SKIP LOCKED),
old AS MATERIALIZED (SELECT id FROM closed UNION ALL SELECT id FROM abandoned),
jobs AS (DELETE FROM {schema}.muster_batch_jobs w USING old WHERE w.batch_id = old.id)
DELETE FROM {schema}.muster_batches b USING old WHERE b.id = old.id
