-- Adds notes for the jobs of a queue that are held by notes without a queue, so that a new limit counts them. The caller holds the lock of
-- the queue. A job that is named twice is counted once; the sweep of leases deletes notes whose jobs have ended.
INSERT INTO {schema}.muster_claims (node_id, number, lease_until, ids, queue)
SELECT held.node_id, nextval('{schema}.muster_job_token_seq'), min(held.lease_until), array_agg(held.id), min(held.queue)
FROM (
  SELECT DISTINCT j.id, j.node_id, j.lease_until, j.queue
  FROM {schema}.muster_claims c
  CROSS JOIN LATERAL unnest(c.ids) AS named (id)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = c.node_id AND j.token IS NOT NULL
  WHERE c.queue IS NULL AND j.queue = ?) held
GROUP BY held.node_id
