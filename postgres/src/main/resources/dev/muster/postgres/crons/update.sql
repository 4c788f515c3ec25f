-- Changes a cron that was created at run time. Its next tick is computed anew.
UPDATE {schema}.muster_crons SET
  expression = ?, zone = ?, misfire = ?, catch_up_limit = ?, overlap = ?, jitter_ms = ?, job_name = ?, args = ?::jsonb, queue = ?,
  capability = ?, priority = ?, max_attempts = ?, max_crashes = ?, timeout_ms = ?, next_tick = NULL, problem = NULL,
  updated_at = {schema}.muster_clock()
WHERE name = ? AND source = 'dynamic'
