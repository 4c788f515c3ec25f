-- The handlers of nodes that are alive by their own heartbeat interval.
SELECT DISTINCT ON (h.key) h.key AS name, h.value ->> 'queue' AS queue, h.value ->> 'capability' AS capability,
       (h.value ->> 'priority')::int AS priority, (h.value ->> 'max_attempts')::int AS max_attempts,
       (h.value ->> 'max_crashes')::int AS max_crashes, (h.value ->> 'timeout_ms')::bigint AS timeout_ms
FROM {schema}.muster_nodes n, jsonb_each(n.handlers) h
WHERE n.status IN ('active', 'draining', 'stale')
  AND n.last_heartbeat > {schema}.muster_clock() - greatest(interval '15 seconds', 3 * n.heartbeat_interval)
ORDER BY h.key, n.started_at DESC
