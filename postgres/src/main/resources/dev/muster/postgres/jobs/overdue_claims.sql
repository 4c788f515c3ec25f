-- Notes in muster_claims with leases that may have run out, along index muster_claims_lease. The lower bound keeps the scan away from
-- dead entries at the index's start.
SELECT c.node_id, c.batch
FROM {schema}.muster_claims c
WHERE c.lease_until < {schema}.muster_statement_clock()
  AND c.lease_until >= coalesce(timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                              {schema}.muster_statement_clock() - interval '10 minutes')
ORDER BY c.lease_until
LIMIT ?
FOR UPDATE SKIP LOCKED
