-- Lets the lease of every claimed job run out, for the only worker of a cluster at its start. A job that was running is charged a
-- crash, and may become a dead letter, by the same rule as in requeue_expired.sql, which the caller runs next.
WITH claimed AS (
  UPDATE {schema}.muster_jobs SET lease_until = {schema}.muster_clock() - interval '1 second'
  WHERE token IS NOT NULL
  RETURNING id, node_id),
forgotten AS (DELETE FROM {schema}.muster_claims)
INSERT INTO {schema}.muster_claims (node_id, number, lease_until, ids)
SELECT node_id, nextval('{schema}.muster_job_token_seq'), {schema}.muster_clock() - interval '1 second', array_agg(id)
FROM (SELECT id, node_id, row_number() OVER (PARTITION BY node_id ORDER BY id) / 500 AS part FROM claimed) c
GROUP BY node_id, part
