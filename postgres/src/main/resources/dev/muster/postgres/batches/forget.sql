-- Deletes those of these batches, locked by this transaction, that are closed or have no live jobs.
WITH old AS MATERIALIZED (
  SELECT b.id FROM {schema}.muster_batches b
  WHERE b.id = ANY (?::uuid[])
    AND (b.closed_at IS NOT NULL OR NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.batch_id = b.id))),
jobs AS (DELETE FROM {schema}.muster_batch_jobs w USING old WHERE w.batch_id = old.id)
DELETE FROM {schema}.muster_batches b USING old WHERE b.id = old.id
