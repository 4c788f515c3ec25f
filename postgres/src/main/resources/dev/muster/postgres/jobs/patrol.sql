-- The last net under the sweep: walks a stretch of the table for claims whose lease ran out, whoever made them and however,
-- and notes them for the sweep. Those that are noted already are noted twice, which does no harm.
INSERT INTO {schema}.muster_claims (node_id, batch, lease_until, ids)
SELECT j.node_id, nextval('{schema}.muster_job_token_seq'), min(j.lease_until), array_agg(j.id)
FROM {schema}.muster_jobs j
WHERE j.ctid >= ?::tid AND j.ctid < ?::tid
  AND j.token IS NOT NULL AND j.lease_until < {schema}.muster_statement_clock()
GROUP BY j.node_id
