-- Adds a cron at run time; does nothing if a cron of that name exists.
INSERT INTO {schema}.muster_crons
  (name, fingerprint, expression, zone, misfire, catch_up_limit, overlap, jitter_ms, job_name, args, queue, capability, priority, max_attempts, max_crashes, timeout_ms, source, created_at, updated_at)
VALUES (?, 'dynamic', ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, ?, ?, ?, 'dynamic', {schema}.muster_clock(), {schema}.muster_clock())
ON CONFLICT (name) DO NOTHING
