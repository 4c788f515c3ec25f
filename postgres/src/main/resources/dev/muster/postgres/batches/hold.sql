-- Keeps batches from being closed or cancelled until this transaction ends, and returns those that are neither. Whoever cancels a batch then
-- finds all its jobs.
SELECT b.id FROM {schema}.muster_batches b WHERE b.id = ANY (?::uuid[]) AND b.closed_at IS NULL AND NOT b.cancel_requested ORDER BY b.id FOR SHARE
