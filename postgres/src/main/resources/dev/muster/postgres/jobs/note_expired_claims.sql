-- The last safety net: walks a stretch of the table for claims whose lease ran out, whichever node made them, and adds notes for the
-- sweep. A claim that has a note already gets a second one, which does no harm.
INSERT INTO {schema}.muster_claims (node_id, number, lease_until, ids)
SELECT j.node_id, nextval('{schema}.muster_job_token_seq'), min(j.lease_until), array_agg(j.id)
FROM {schema}.muster_jobs j
WHERE j.ctid >= ?::tid AND j.ctid < ?::tid
  AND j.token IS NOT NULL AND j.lease_until < least({schema}.muster_statement_clock(), timestamptz 'epoch' + ?::bigint * interval '1 microsecond')
GROUP BY j.node_id
