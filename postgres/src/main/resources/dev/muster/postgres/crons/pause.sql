-- Pauses a cron; one that is paused keeps the time it was paused at. By the primary key.
UPDATE {schema}.muster_crons SET paused_at = coalesce(paused_at, {schema}.muster_clock()) WHERE name = ?
