-- How many ended jobs of each name a retry would find, counted up to a limit. Along index muster_job_history_unhappy, or the
-- index that serves the filter.
SELECT name, status, count(*) AS jobs FROM (
  SELECT name, status FROM {schema}.muster_job_history WHERE status <> 'completed'{filter}{order} LIMIT {limit}) h
GROUP BY name, status ORDER BY name, status
