-- Moves a cron on to its next tick.
UPDATE {schema}.muster_crons SET
  next_tick = ?, last_tick = coalesce(?, last_tick), last_job = coalesce(?, last_job), problem = NULL
WHERE name = ?
