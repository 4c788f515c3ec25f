-- Inserts the rows of ticks. A tick that has a row already is left out, and is not returned.
INSERT INTO {schema}.muster_cron_ticks (cron, tick, fired_at, job_id)
SELECT n.cron, n.tick, {schema}.muster_clock(), n.job_id
FROM unnest(?::text[], ?::timestamptz[], ?::uuid[]) AS n (cron, tick, job_id)
ON CONFLICT (cron, tick) DO NOTHING
RETURNING cron, tick
