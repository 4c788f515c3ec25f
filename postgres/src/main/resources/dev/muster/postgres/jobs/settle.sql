-- Forgets claims of which no job is left, each given with one job that it names: after a failover another claim may bear the
-- same number. Whoever sweeps may hold one just now: then it is the sweep's. LIMIT keeps the planner from reading all notes
-- of the node instead, dead ones among them, and comparing each.
DELETE FROM {schema}.muster_claims c
WHERE c.ctid = ANY (ARRAY (
  SELECT found.tid
  FROM unnest(?::bigint[], ?::uuid[]) AS o (batch, id)
  CROSS JOIN LATERAL (
    SELECT s.ctid AS tid
    FROM {schema}.muster_claims s
    WHERE s.node_id = ? AND s.batch = o.batch AND o.id = ANY (s.ids)
    LIMIT 1
    FOR UPDATE SKIP LOCKED) found))
