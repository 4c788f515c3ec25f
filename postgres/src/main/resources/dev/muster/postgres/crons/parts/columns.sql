-- What is read of a cron; other files say of which.
SELECT name, expression, zone, misfire, catch_up_limit, overlap, jitter_ms, job_name, {schema}.muster_text(args) AS args, queue, capability, priority, max_attempts, max_crashes, timeout_ms, source, paused_at, gone_at,
       CASE WHEN paused_at IS NULL AND gone_at IS NULL THEN next_tick END AS next_tick, last_tick, last_job, problem, updated_at
FROM {schema}.muster_crons
