-- Adds jobs. ready_at is never in the past: no job may appear behind the cursors of claimers, which only look forward. A job
-- of a group is put into its group, from where it is admitted later.
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, status, run_at, ready_at, created_at, args, key, max_attempts,
   max_crashes, timeout_ms, metadata, expires_at, tags, batch_id, concurrency_group, group_position, trace)
SELECT n.id, n.name, n.queue, n.capability, n.priority,
       CASE WHEN n.concurrency_group IS NULL THEN n.priority
            ELSE {schema}.muster_rank_in_group(n.concurrency_group, n.priority, coalesce(n.run_at <= t.now, coalesce(n.delay_ms, 0) <= 0)) END,
       CASE WHEN n.waits OR n.concurrency_group IS NOT NULL THEN 'waiting' ELSE 'pending' END,
       coalesce(n.run_at, t.now + coalesce(n.delay_ms, 0) * interval '1 millisecond'),
       CASE WHEN n.waits OR n.concurrency_group IS NOT NULL THEN 'infinity'
            ELSE greatest(coalesce(n.run_at, t.now + coalesce(n.delay_ms, 0) * interval '1 millisecond'), t.now) END,
       t.now, n.args::jsonb, n.key, n.max_attempts, n.max_crashes, n.timeout_ms, n.metadata::jsonb,
       coalesce(n.expires_at, t.now + n.expires_ms * interval '1 millisecond'), n.tags::text[], n.batch_id,
       n.concurrency_group, CASE WHEN n.concurrency_group IS NOT NULL AND NOT n.waits
                    THEN {schema}.muster_position_in_group(n.concurrency_group, n.run_at, n.delay_ms, t.now) END, n.trace
FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::timestamptz[], ?::bigint[], ?::text[],
            ?::text[], ?::smallint[], ?::smallint[], ?::bigint[], ?::text[], ?::bool[], ?::timestamptz[],
            ?::bigint[], ?::text[], ?::uuid[], ?::text[], ?::text[])
       AS n (id, name, queue, capability, priority, run_at, delay_ms, args, key, max_attempts, max_crashes, timeout_ms,
             metadata, waits, expires_at, expires_ms, tags, batch_id, concurrency_group, trace)
CROSS JOIN LATERAL (SELECT {schema}.muster_clock() AS now WHERE n.id IS NOT NULL) t
