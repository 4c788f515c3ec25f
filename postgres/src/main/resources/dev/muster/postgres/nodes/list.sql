-- The nodes with their rows, and the status that the view muster_cluster shows.
SELECT n.id, n.incarnation, n.name, n.status, v.verdict, n.roles, n.address, n.started_at, n.last_heartbeat, n.queues,
       n.capabilities, n.current_connections, CASE WHEN v.verdict = 'dead' THEN 0 ELSE n.current_jobs END AS current_jobs,
       n.cpu_usage, n.memory_usage, n.version,
       (date_part('epoch', n.heartbeat_interval) * 1000)::bigint AS interval_ms,
       ARRAY (SELECT key FROM jsonb_each_text(n.labels) ORDER BY key) AS label_keys,
       ARRAY (SELECT value FROM jsonb_each_text(n.labels) ORDER BY key) AS label_values,
       ARRAY (SELECT jsonb_object_keys(n.handlers) ORDER BY 1) AS handler_names, n.unrouted, n.functions,
       ARRAY (SELECT e.key FROM jsonb_each(n.executors) e ORDER BY e.key <> 'default', e.key) AS executor_names,
       ARRAY (SELECT e.value ->> 'kind' FROM jsonb_each(n.executors) e ORDER BY e.key <> 'default', e.key) AS executor_kinds,
       ARRAY (SELECT (e.value ->> 'size')::int FROM jsonb_each(n.executors) e ORDER BY e.key <> 'default', e.key) AS executor_sizes,
       ARRAY (SELECT CASE WHEN v.verdict = 'dead' THEN 0 ELSE (e.value ->> 'running')::int END
              FROM jsonb_each(n.executors) e ORDER BY e.key <> 'default', e.key) AS executor_running,
       ARRAY (SELECT CASE WHEN v.verdict = 'dead' THEN 0 ELSE (e.value ->> 'stuck')::int END
              FROM jsonb_each(n.executors) e ORDER BY e.key <> 'default', e.key) AS executor_stuck,
       (date_part('epoch', {schema}.muster_clock() - n.last_heartbeat) * 1000)::bigint AS age_ms
FROM {schema}.muster_nodes n
JOIN {schema}.muster_verdicts() v ON v.id = n.id
ORDER BY n.id
