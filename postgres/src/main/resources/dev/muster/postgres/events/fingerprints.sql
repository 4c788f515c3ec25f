-- Texts that change when something changes about nodes, leaders and crons. Heartbeats and renewals of leases change none of them.
SELECT (SELECT hashtextextended(string_agg(concat_ws('/', n.id, n.incarnation, v.verdict, n.drain_requested), ',' ORDER BY n.id), 0)
        FROM {schema}.muster_nodes n JOIN {schema}.muster_verdicts() v ON v.id = n.id)::text AS nodes,
       (SELECT hashtextextended(string_agg(concat_ws('/', l.role, l.node_id, l.term), ',' ORDER BY l.role), 0)
        FROM {schema}.muster_leaders l)::text AS leaders,
       (SELECT hashtextextended(
                 string_agg(concat_ws('/', c.name, c.fingerprint, c.updated_at, c.paused_at, c.next_tick, c.last_tick, c.problem, c.gone_at),
                            ',' ORDER BY c.name), 0)
        FROM {schema}.muster_crons c)::text AS crons
