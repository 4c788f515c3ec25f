-- How many jobs failed for good within the last day and the last hour, and when the last one did. A run that failed is no such job. Backwards
-- along index muster_job_history_unhappy, which has cancelled and expired jobs and the drivers of runs too: so a bounded number of entries
-- is read.
WITH unhappy AS MATERIALIZED (
  SELECT CASE WHEN {no_driver} THEN h.status END AS status, h.finished_at FROM {schema}.muster_job_history h
  WHERE h.status <> 'completed' AND h.finished_at > {schema}.muster_statement_clock() - interval '1 day'
  ORDER BY h.finished_at DESC LIMIT ? + 1)
SELECT count(*) FILTER (WHERE u.status = 'failed') AS last_day,
       count(*) FILTER (WHERE u.status = 'failed' AND u.finished_at > {schema}.muster_statement_clock() - interval '1 hour') AS last_hour,
       max(u.finished_at) FILTER (WHERE u.status = 'failed') AS last_at,
       count(*) <= ? AS whole_day,
       count(*) <= ? OR min(u.finished_at) <= {schema}.muster_statement_clock() - interval '1 hour' AS whole_hour
FROM unhappy u
