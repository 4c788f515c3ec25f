-- Removes a cron that was created while Muster ran, if nobody has changed it since the time that the caller knows. By the primary key.
DELETE FROM {schema}.muster_crons WHERE name = ? AND source = 'dynamic' AND updated_at = coalesce(?::timestamptz, updated_at)
