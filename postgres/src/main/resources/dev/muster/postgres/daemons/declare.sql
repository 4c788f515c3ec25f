-- Adds the rows of the daemons that a node can run.
INSERT INTO {schema}.muster_daemons (name, slot, status, free_since)
SELECT n.name, n.slot, 'free', {schema}.muster_clock() FROM unnest(?::text[], ?::text[]) AS n (name, slot)
ORDER BY n.name
ON CONFLICT (name, slot) DO NOTHING
