-- Keeps a job that a batch will enqueue itself.
INSERT INTO {schema}.muster_batch_jobs
  (batch_id, job_id, name, queue, capability, priority, max_attempts, max_crashes, timeout_ms, args, metadata, tags, trace)
SELECT ?, n.id, n.name, n.queue, n.capability, n.priority, n.max_attempts, n.max_crashes, n.timeout_ms, n.args::jsonb, n.metadata::jsonb,
       n.tags::text[], n.trace
FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[], ?::smallint[], ?::bigint[], ?::text[], ?::text[],
            ?::text[], ?::text[])
       AS n (id, name, queue, capability, priority, max_attempts, max_crashes, timeout_ms, args, metadata, tags, trace)
