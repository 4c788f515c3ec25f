-- How many jobs of each status match a filter that an index serves, up to a bound for each of the two tables.
SELECT found.status, count(*) AS jobs
FROM (
  (SELECT status FROM {schema}.muster_jobs{where}{order} LIMIT ?)
  UNION ALL
  (SELECT status FROM {schema}.muster_job_history{where}{order} LIMIT ?)) found
GROUP BY found.status
