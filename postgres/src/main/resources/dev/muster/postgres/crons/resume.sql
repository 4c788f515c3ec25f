-- Lets a cron run again; its next tick is computed from now on. By the primary key.
UPDATE {schema}.muster_crons
SET next_tick = CASE WHEN paused_at IS NULL THEN next_tick END, paused_at = NULL, retry_at = NULL
WHERE name = ?
