-- Forgets claims of which no job is left, each given with one job that it names: after a failover another claim may bear the
-- same number. Whoever sweeps may hold one just now: then it is the sweep's.
DELETE FROM {schema}.muster_claims c
WHERE c.ctid = ANY (ARRAY (
  SELECT s.ctid
  FROM unnest(?::bigint[], ?::uuid[]) AS o (batch, id)
  JOIN {schema}.muster_claims s ON s.node_id = ? AND s.batch = ANY (ARRAY[o.batch]) AND o.id = ANY (s.ids)
  FOR UPDATE OF s SKIP LOCKED))
