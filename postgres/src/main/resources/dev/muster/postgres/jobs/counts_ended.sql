-- How many ended jobs of each status match, as far as a bounded number of rows shows: the newest jobs that did not complete, along index
-- muster_job_history_unhappy, and the newest ended jobs by their ids. "looked_at" says how many rows were read.
WITH unhappy AS MATERIALIZED (
  SELECT status, ({filter}) AS hit FROM {schema}.muster_job_history WHERE status <> 'completed' ORDER BY finished_at DESC LIMIT ?),
ended AS MATERIALIZED (
  SELECT status = 'completed' AND ({filter}) AS hit FROM {schema}.muster_job_history ORDER BY id DESC LIMIT ?)
SELECT kind.status, count(*) FILTER (WHERE unhappy.status = kind.status AND unhappy.hit) AS jobs, count(unhappy.status) AS looked_at
FROM (VALUES ('failed'), ('cancelled'), ('expired')) AS kind (status) LEFT JOIN unhappy ON true GROUP BY kind.status
UNION ALL
SELECT 'completed', count(*) FILTER (WHERE hit), count(*) FROM ended
