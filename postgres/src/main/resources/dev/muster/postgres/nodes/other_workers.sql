-- The live workers beside which a worker may not join, because it or one of them has worker.claiming = false. Runs under a lock on
-- muster_single_worker. Silence counts from when the joining node first asked, because that node does not know whether the database
-- was available before. A worker that has sent a heartbeat since then is alive.
SELECT n.id, n.claiming, v.verdict = 'draining' AS leaving, n.last_heartbeat > asked.first AS answered, asked.first,
       (date_part('epoch', {schema}.muster_statement_clock() - n.last_heartbeat) * 1000)::bigint AS silent_ms
FROM (SELECT coalesce(?::timestamptz, {schema}.muster_statement_clock()) AS first) asked
CROSS JOIN LATERAL {schema}.muster_verdicts(? * interval '1 millisecond', ? * interval '1 millisecond', asked.first) v
JOIN {schema}.muster_nodes n ON n.id = v.id
WHERE n.id <> ? AND n.handlers <> '{}' AND v.verdict <> 'dead' AND NOT (n.claiming AND ?)
ORDER BY n.id
