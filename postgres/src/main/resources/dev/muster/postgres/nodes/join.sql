-- Adds a node's row, or takes over the row with its id, which fences out the older incarnation. A node that joins again names its
-- previous incarnation and takes over only its own row; it stays draining if it was.
INSERT INTO {schema}.muster_nodes AS n
  (id, incarnation, name, status, last_heartbeat, heartbeat_interval, started_at, node_info, roles, queues, capabilities,
   labels, address, lease, claiming, version, in_touch_since, claims_before, executors, unrouted, functions,
   handlers)
SELECT ?, ?, ?, ?, {schema}.muster_clock(), ? * interval '1 millisecond', {schema}.muster_clock(), ?, ?, ?, ?,
       coalesce((SELECT jsonb_object_agg(l.key, l.value) FROM unnest(?::text[], ?::text[]) AS l (key, value)), '{}'), ?,
       ? * interval '1 millisecond', ?, ?, {schema}.muster_clock(),
       coalesce(pg_sequence_last_value('{schema}.muster_job_token_seq'), 0), ?::jsonb, ?, ?::jsonb,
       coalesce((SELECT jsonb_object_agg(h.name, jsonb_build_object(
                   'queue', h.queue, 'capability', h.capability, 'priority', h.priority,
                   'max_attempts', h.max_attempts, 'max_crashes', h.max_crashes, 'timeout_ms', h.timeout_ms, 'executor', h.executor,
                   'tenants', h.tenants))
                 FROM unnest(?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[], ?::smallint[], ?::bigint[], ?::text[], ?::boolean[])
                   AS h (name, queue, capability, priority, max_attempts, max_crashes, timeout_ms, executor, tenants)), '{}')
ON CONFLICT (id) DO UPDATE SET
  incarnation = excluded.incarnation, name = excluded.name,
  status = CASE WHEN ?::uuid IS NOT NULL AND (n.drain_requested OR n.status = 'draining') THEN 'draining' ELSE excluded.status END,
  drain_requested = false,
  last_heartbeat = excluded.last_heartbeat, heartbeat_interval = excluded.heartbeat_interval,
  started_at = excluded.started_at, node_info = excluded.node_info, roles = excluded.roles, queues = excluded.queues,
  capabilities = excluded.capabilities, labels = excluded.labels, address = excluded.address, lease = excluded.lease,
  claiming = excluded.claiming, version = excluded.version,
  handlers = excluded.handlers, executors = excluded.executors, unrouted = excluded.unrouted,
  functions = excluded.functions,
  in_touch_since = excluded.in_touch_since, claims_before = excluded.claims_before,
  current_jobs = 0, current_connections = 0
WHERE ?::uuid IS NULL OR n.incarnation IN (?::uuid, excluded.incarnation)
RETURNING status
