-- Forgets definitions that nobody has published for long. Reads the whole table, which has few rows per cron.
DELETE FROM {schema}.muster_cron_definitions WHERE published_at < {schema}.muster_clock() - interval '30 days'
