-- How many jobs failed for good within the last day and the last hour, and when the last one did. Backwards along index
-- muster_job_history_unhappy, which has cancelled and expired jobs too: so a bounded number of entries is read.
WITH unhappy AS MATERIALIZED (
  SELECT h.status, h.finished_at FROM {schema}.muster_job_history h
  WHERE h.status <> 'completed' AND h.finished_at > {schema}.muster_statement_clock() - interval '1 day'
  ORDER BY h.finished_at DESC LIMIT ? + 1)
SELECT count(*) FILTER (WHERE u.status = 'failed') AS last_day,
       count(*) FILTER (WHERE u.status = 'failed' AND u.finished_at > {schema}.muster_statement_clock() - interval '1 hour') AS last_hour,
       max(u.finished_at) FILTER (WHERE u.status = 'failed') AS last_at,
       count(*) <= ? AS whole_day,
       count(*) <= ? OR min(u.finished_at) <= {schema}.muster_statement_clock() - interval '1 hour' AS whole_hour
FROM unhappy u
