-- Locks batches that were closed long ago, and batches that somebody created long ago and never sealed, in a statement of its own: the next
-- one sees the jobs that were added before. Leaves out those to which a transaction is adding jobs.
WITH closed AS MATERIALIZED (
  SELECT b.id FROM {schema}.muster_batches b
  WHERE b.closed_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond' LIMIT ? FOR UPDATE SKIP LOCKED),
abandoned AS MATERIALIZED (
  SELECT b.id FROM {schema}.muster_batches b
  WHERE b.closed_at IS NULL AND b.status = 'open' AND b.created_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.batch_id = b.id) LIMIT ? FOR UPDATE OF b SKIP LOCKED)
SELECT id FROM closed UNION ALL SELECT id FROM abandoned
