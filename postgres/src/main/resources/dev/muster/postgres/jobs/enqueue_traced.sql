-- Like enqueue_plain.sql, for jobs of which some belong to a trace.
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, ready_at, args, max_attempts, max_crashes, timeout_ms, trace)
SELECT n.id, n.name, n.queue, n.capability, n.priority, n.priority, {schema}.muster_clock(), n.args::jsonb,
       n.max_attempts, n.max_crashes, n.timeout_ms, n.trace
FROM (SELECT unnest(?::uuid[]), unnest(?::text[]), unnest(?::text[]), unnest(?::text[]), unnest(?::smallint[]),
             unnest(?::text[]), unnest(?::smallint[]), unnest(?::smallint[]), unnest(?::bigint[]), unnest(?::text[]))
       AS n (id, name, queue, capability, priority, args, max_attempts, max_crashes, timeout_ms, trace)
