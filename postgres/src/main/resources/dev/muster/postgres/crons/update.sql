-- Changes a cron that was created at run time, if nobody has changed it since the time that the caller knows. If its schedule has changed,
-- its next tick is recomputed, unless a tick is due.
UPDATE {schema}.muster_crons c SET
  expression = n.expression, zone = n.zone, misfire = n.misfire, catch_up_limit = n.catch_up_limit, overlap = n.overlap,
  jitter_ms = n.jitter_ms, job_name = n.job_name, args = n.args, queue = n.queue, capability = n.capability,
  priority = n.priority, max_attempts = n.max_attempts, max_crashes = n.max_crashes, timeout_ms = n.timeout_ms,
  next_tick = CASE WHEN (c.expression, c.zone) = (n.expression, n.zone)
                     OR c.next_tick <= {schema}.muster_clock() AND c.paused_at IS NULL THEN c.next_tick END,
  problem = NULL, retry_at = NULL, updated_at = {schema}.muster_clock()
FROM (SELECT ?::text AS expression, ?::text AS zone, ?::text AS misfire, ?::int AS catch_up_limit, ?::text AS overlap,
             ?::bigint AS jitter_ms, ?::text AS job_name, ?::jsonb AS args, ?::text AS queue, ?::text AS capability,
             ?::smallint AS priority, ?::smallint AS max_attempts, ?::smallint AS max_crashes, ?::bigint AS timeout_ms) n
WHERE c.name = ? AND c.source = 'dynamic' AND c.updated_at = coalesce(?::timestamptz, c.updated_at)
