-- Keeps batches from being closed until this transaction ends, and returns those that are not closed.
SELECT b.id FROM {schema}.muster_batches b WHERE b.id = ANY (?::uuid[]) AND b.closed_at IS NULL ORDER BY b.id FOR SHARE
