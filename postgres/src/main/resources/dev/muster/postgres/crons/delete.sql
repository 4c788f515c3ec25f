-- Removes a cron that was created while Muster ran. By the primary key.
DELETE FROM {schema}.muster_crons WHERE name = ? AND source = 'dynamic'
