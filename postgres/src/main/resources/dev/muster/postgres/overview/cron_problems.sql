-- Crons that tick and whose last tick enqueued no job. Reads the whole table, which has a row for each cron.
SELECT c.name, c.problem, CASE WHEN c.next_tick <= {schema}.muster_statement_clock() THEN c.next_tick END AS due
FROM {schema}.muster_crons c
WHERE c.problem IS NOT NULL AND c.paused_at IS NULL AND c.gone_at IS NULL
ORDER BY c.name
LIMIT 20
