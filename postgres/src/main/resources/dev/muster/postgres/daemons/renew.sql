-- Extends leases, but not of daemons that another node holds by now.
UPDATE {schema}.muster_daemons d SET lease_until = {schema}.muster_clock() + ? * interval '1 millisecond'
FROM unnest(?::text[], ?::text[], ?::bigint[]) AS r (name, slot, token)
WHERE d.name = r.name AND d.slot = r.slot AND d.token = r.token
RETURNING d.name, d.slot, d.token
