-- The handlers of live nodes. Of several nodes the one that started last says the options; open to tenants are those that all of them open.
SELECT DISTINCT ON (h.key) h.key AS name, h.value ->> 'queue' AS queue, h.value ->> 'capability' AS capability,
       (h.value ->> 'priority')::int AS priority, (h.value ->> 'max_attempts')::int AS max_attempts,
       (h.value ->> 'max_crashes')::int AS max_crashes, (h.value ->> 'timeout_ms')::bigint AS timeout_ms,
       bool_and(coalesce((h.value ->> 'tenants')::boolean, false)) OVER (PARTITION BY h.key) AS tenants
FROM {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id]), jsonb_each(n.handlers) h
WHERE v.verdict IN ('active', 'draining', 'stale')
ORDER BY h.key, n.started_at DESC
