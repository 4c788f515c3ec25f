-- Records the definitions in this node's code. A definition that no node has published for a day counts as new code.
INSERT INTO {schema}.muster_cron_definitions AS d
  (cron, fingerprint, expression, zone, misfire, catch_up_limit, overlap, jitter_ms, job_name, args, queue, capability, priority, max_attempts, max_crashes, timeout_ms, first_seen, published_at)
SELECT n.cron, n.fingerprint, n.expression, n.zone, n.misfire, n.catch_up_limit, n.overlap, n.jitter_ms, n.job_name, n.args::jsonb,
       n.queue, n.capability, n.priority, n.max_attempts, n.max_crashes, n.timeout_ms, t.now, t.now
FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::text[], ?::bigint[], ?::text[], ?::text[],
            ?::text[], ?::text[], ?::smallint[], ?::smallint[], ?::smallint[], ?::bigint[])
       AS n (cron, fingerprint, expression, zone, misfire, catch_up_limit, overlap, jitter_ms, job_name, args,
             queue, capability, priority, max_attempts, max_crashes, timeout_ms),
     (SELECT {schema}.muster_clock() AS now) t
ON CONFLICT (cron, fingerprint) DO UPDATE SET
  published_at = excluded.published_at,
  first_seen = CASE WHEN d.published_at < excluded.published_at - interval '1 day' THEN excluded.published_at ELSE d.first_seen END
