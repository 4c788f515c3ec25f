-- Deletes notes in muster_claims of which no job is left. Each is given with one of its jobs, because after a failover another note may
-- have the same number. If the sweep has a note locked, the note is left to the sweep. LIMIT keeps the planner from reading and comparing
-- all notes of the node, including dead ones.
DELETE FROM {schema}.muster_claims c
WHERE c.ctid = ANY (ARRAY (
  SELECT found.tid
  FROM unnest(?::bigint[], ?::uuid[]) AS o (number, id)
  CROSS JOIN LATERAL (
    SELECT s.ctid AS tid
    FROM {schema}.muster_claims s
    WHERE s.node_id = ? AND s.number = o.number AND o.id = ANY (s.ids)
    LIMIT 1
    FOR UPDATE SKIP LOCKED) found))
