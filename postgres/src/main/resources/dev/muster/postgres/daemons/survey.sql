-- Whether a daemon is free (or can be claimed back), when the first lease of another node ends, and which of its own daemons this
-- node should release to a node that has at least two fewer; and how many other nodes there are.
WITH t AS MATERIALIZED (
  SELECT {schema}.muster_statement_clock() AS now, ?::text AS me, ?::text[] AS names, ?::text[] AS running
), held AS MATERIALIZED (
  SELECT d.node_id, count(*) AS daemons FROM {schema}.muster_daemons d, t
  WHERE d.slot = '' AND d.lease_until > t.now GROUP BY d.node_id
), peers AS MATERIALIZED (
  SELECT n.id, n.daemons AS names, coalesce(h.daemons, 0) AS daemons
  FROM t, {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
  LEFT JOIN held h ON h.node_id = n.id
  WHERE n.id <> t.me AND v.verdict IN ('joining', 'active', 'stale')
    AND NOT EXISTS (SELECT FROM {schema}.muster_daemons d WHERE d.node_id = n.id AND d.lease_until <= t.now)
)
SELECT EXISTS (SELECT FROM {schema}.muster_daemons d
               WHERE d.name = ANY (t.names) AND d.slot IN ('', t.me) AND d.status <> 'failed'
                 AND d.name <> ALL (t.running)
                 AND (d.lease_until IS NULL OR d.lease_until <= t.now OR d.node_id = t.me)) AS free,
       (SELECT ceil(date_part('epoch', min(d.lease_until) - t.now) * 1000)::bigint FROM {schema}.muster_daemons d
        WHERE d.name = ANY (t.names) AND d.slot = '' AND d.node_id <> t.me AND d.lease_until > t.now) AS next_end_ms,
       (SELECT d.name FROM {schema}.muster_daemons d, held h
        WHERE d.node_id = t.me AND d.slot = '' AND d.status = 'running' AND d.lease_until > t.now AND h.node_id = t.me
          AND h.daemons - 2 >= (SELECT min(p.daemons) FROM peers p WHERE d.name = ANY (p.names))
        ORDER BY d.started_at DESC, d.name LIMIT 1) AS surplus,
       (SELECT count(*) FROM peers) AS peers
FROM t
