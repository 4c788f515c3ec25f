-- Notes in muster_claims with leases that may have run out, along index muster_claims_lease: by now, and by the time named, if any. The
-- lower bound keeps the scan away from dead entries at the index's start.
SELECT c.node_id, c.number
FROM {schema}.muster_claims c
WHERE c.lease_until < least({schema}.muster_statement_clock(), timestamptz 'epoch' + ?::bigint * interval '1 microsecond')
  AND c.lease_until >= coalesce(timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                              {schema}.muster_statement_clock() - interval '10 minutes')
ORDER BY c.lease_until
LIMIT ?
FOR UPDATE SKIP LOCKED
