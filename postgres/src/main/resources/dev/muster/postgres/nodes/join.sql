-- Adds a node's row, or takes over the one with its id: the older incarnation is fenced out.
INSERT INTO {schema}.muster_nodes AS n
  (id, incarnation, name, status, last_heartbeat, heartbeat_interval, started_at, node_info, queues, capabilities, handlers)
SELECT ?, ?, ?, 'active', {schema}.muster_clock(), ? * interval '1 millisecond', {schema}.muster_clock(), ?, ?, ?,
       coalesce((SELECT jsonb_object_agg(h.name, jsonb_build_object(
                   'queue', h.queue, 'capability', h.capability, 'priority', h.priority,
                   'max_attempts', h.max_attempts, 'max_crashes', h.max_crashes, 'timeout_ms', h.timeout_ms))
                 FROM unnest(?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[], ?::smallint[], ?::bigint[])
                   AS h (name, queue, capability, priority, max_attempts, max_crashes, timeout_ms)), '{}')
ON CONFLICT (id) DO UPDATE SET
  incarnation = excluded.incarnation, name = excluded.name, status = excluded.status,
  last_heartbeat = excluded.last_heartbeat, heartbeat_interval = excluded.heartbeat_interval,
  started_at = excluded.started_at, node_info = excluded.node_info, queues = excluded.queues,
  capabilities = excluded.capabilities, handlers = excluded.handlers, current_jobs = 0
