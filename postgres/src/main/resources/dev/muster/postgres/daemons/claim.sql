-- Claims one free daemon if it is this node's turn: no live node that can run the daemon holds fewer, or the node that does has not
-- claimed it in time. A node whose lease on a daemon ran out is not waited for, whatever its heartbeat says. A daemon that this node
-- held itself and lost track of can be claimed back at once, with a new token. A process that was declared dead, or replaced under
-- its id, gets none.
WITH t AS MATERIALIZED (
  SELECT {schema}.muster_statement_clock() AS now, ?::text AS me, ?::uuid AS incarnation, ?::text[] AS names,
         ? * interval '1 millisecond' AS lease, ? * interval '1 millisecond' AS patience
), held AS MATERIALIZED (
  SELECT d.node_id, count(*) AS daemons FROM {schema}.muster_daemons d, t
  WHERE d.slot = '' AND d.lease_until > t.now GROUP BY d.node_id
), peers AS MATERIALIZED (
  SELECT n.id, n.daemons AS names, coalesce(h.daemons, 0) AS daemons
  FROM t, {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
  LEFT JOIN held h ON h.node_id = n.id
  WHERE v.verdict IN ('joining', 'active', 'stale')
    AND NOT EXISTS (SELECT FROM {schema}.muster_daemons d WHERE d.node_id = n.id AND d.lease_until <= t.now)
), mine AS MATERIALIZED (
  SELECT d.name, d.slot FROM {schema}.muster_daemons d, t
  WHERE d.name = ANY (t.names) AND d.slot IN ('', t.me) AND d.status <> 'failed'
    AND EXISTS (SELECT FROM {schema}.muster_nodes n WHERE n.id = t.me AND n.incarnation = t.incarnation
                AND n.status IN ('joining', 'active', 'stale'))
    AND (d.lease_until IS NULL OR d.lease_until <= t.now OR d.node_id = t.me)
    AND (d.slot <> '' OR d.node_id = t.me
         OR coalesce(d.lease_until, d.free_since, '-infinity') <= t.now - t.patience
         OR coalesce((SELECT h.daemons FROM held h WHERE h.node_id = t.me), 0)
            <= coalesce((SELECT min(p.daemons) FROM peers p WHERE d.name = ANY (p.names)), 0))
  ORDER BY d.name LIMIT 1 FOR UPDATE OF d SKIP LOCKED
)
UPDATE {schema}.muster_daemons d SET
  node_id = t.me, incarnation = t.incarnation, token = nextval('{schema}.muster_fence_seq'), status = 'running',
  lease_until = {schema}.muster_clock() + t.lease, free_since = NULL, started_at = t.now
FROM t, mine m
WHERE d.name = m.name AND d.slot = m.slot
RETURNING d.name, d.slot, d.token, d.restarts, (SELECT s.timeline FROM {schema}.muster_server s) AS timeline
