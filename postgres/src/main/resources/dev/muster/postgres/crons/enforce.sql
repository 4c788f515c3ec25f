-- Of the definitions that live nodes publish (every minute), puts the one into force that was first seen most recently. A tick
-- that is due stays due. A cron that was gone comes back with the next tick that it had.
INSERT INTO {schema}.muster_crons AS c
  (name, fingerprint, expression, zone, misfire, catch_up_limit, overlap, jitter_ms, job_name, args, queue, capability, priority, max_attempts, max_crashes, timeout_ms, source, created_at, updated_at)
SELECT n.*, 'static', {schema}.muster_clock(), {schema}.muster_clock()
FROM (SELECT DISTINCT ON (d.cron) d.cron, d.fingerprint, expression, zone, misfire, catch_up_limit, overlap, jitter_ms, job_name, args, queue, capability, priority, max_attempts, max_crashes, timeout_ms
      FROM {schema}.muster_cron_definitions d
      WHERE d.cron = ANY (?) AND d.published_at > {schema}.muster_clock() - interval '3 minutes'
      ORDER BY d.cron, d.first_seen DESC, d.fingerprint) n
ON CONFLICT (name) DO UPDATE SET
  fingerprint = excluded.fingerprint, expression = excluded.expression, zone = excluded.zone, misfire = excluded.misfire,
  catch_up_limit = excluded.catch_up_limit, overlap = excluded.overlap, jitter_ms = excluded.jitter_ms,
  job_name = excluded.job_name, args = excluded.args, queue = excluded.queue, capability = excluded.capability,
  priority = excluded.priority, max_attempts = excluded.max_attempts, max_crashes = excluded.max_crashes,
  timeout_ms = excluded.timeout_ms,
  next_tick = CASE WHEN (c.expression, c.zone) = (excluded.expression, excluded.zone)
                     OR c.next_tick <= excluded.updated_at AND c.paused_at IS NULL THEN c.next_tick END,
  gone_at = NULL, problem = NULL, retry_at = NULL, updated_at = excluded.updated_at
WHERE c.source = 'static' AND (c.fingerprint <> excluded.fingerprint OR c.gone_at IS NOT NULL)
