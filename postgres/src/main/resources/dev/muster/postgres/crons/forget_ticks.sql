-- Forgets the oldest ticks. Along index muster_cron_ticks_age.
DELETE FROM {schema}.muster_cron_ticks WHERE ctid = ANY (ARRAY (
  SELECT ctid FROM {schema}.muster_cron_ticks
  WHERE fired_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond' ORDER BY fired_at LIMIT {limit}))
