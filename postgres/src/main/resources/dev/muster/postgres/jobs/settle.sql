-- Forgets claims of which no job is left. Whoever sweeps may hold one just now: then it is the sweep's.
DELETE FROM {schema}.muster_claims c
WHERE c.ctid = ANY (ARRAY (
  SELECT s.ctid FROM {schema}.muster_claims s
  WHERE s.node_id = ? AND s.batch = ANY (?::bigint[])
  FOR UPDATE SKIP LOCKED))
