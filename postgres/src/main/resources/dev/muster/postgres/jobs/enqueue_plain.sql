-- Adds jobs that are due at once and have no key, tags or metadata; column defaults supply the rest. For eight jobs this takes a
-- tenth less than enqueue.sql, mostly because it has fewer parameters. unnest is in the select list because PostgreSQL would store
-- the rows of a table function before it reads them.
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, ready_at, args, max_attempts, max_crashes, timeout_ms)
SELECT n.id, n.name, n.queue, n.capability, n.priority, n.priority, {schema}.muster_clock(), n.args::jsonb,
       n.max_attempts, n.max_crashes, n.timeout_ms
FROM (SELECT unnest(?::uuid[]), unnest(?::text[]), unnest(?::text[]), unnest(?::text[]), unnest(?::smallint[]),
             unnest(?::text[]), unnest(?::smallint[]), unnest(?::smallint[]), unnest(?::bigint[]))
       AS n (id, name, queue, capability, priority, args, max_attempts, max_crashes, timeout_ms)
