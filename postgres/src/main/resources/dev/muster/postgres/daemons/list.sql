-- All daemons, for people; one whose lease ran out is free, whatever its row says. Reads the whole table.
SELECT name, slot, CASE WHEN lease_until <= {schema}.muster_clock() THEN 'free' ELSE status END AS status, node_id, token,
       restarts, started_at, last_error, failed_at
FROM {schema}.muster_daemons ORDER BY name, slot
