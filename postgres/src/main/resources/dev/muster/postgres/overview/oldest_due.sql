-- Jobs that are due and not claimed, by name and queue. Lanes and ranks are found by jumping along index muster_jobs_ready; of each the first
-- few jobs are read, in the order in which they would be claimed. A job that no node can run stays among them. The numbers of lanes and
-- of jobs are bounded.
WITH RECURSIVE ranked AS (
  (SELECT j.queue, j.capability, j.rank, 1 AS number FROM {schema}.muster_jobs j WHERE j.ready_at < 'infinity'
   ORDER BY j.queue, j.capability, j.rank LIMIT 1)
  UNION ALL
  SELECT next.queue, next.capability, next.rank, ranked.number + 1
  FROM ranked
  CROSS JOIN LATERAL (
    SELECT j.queue, j.capability, j.rank FROM {schema}.muster_jobs j
    WHERE j.ready_at < 'infinity' AND (j.queue, j.capability, j.rank) > (ranked.queue, ranked.capability, ranked.rank)
    ORDER BY j.queue, j.capability, j.rank LIMIT 1) next
  WHERE ranked.number < 200),
due AS MATERIALIZED (
  SELECT first.name, ranked.queue, first.ready_at, first.number
  FROM ranked
  CROSS JOIN LATERAL (
    SELECT j.name, j.ready_at, row_number() OVER () AS number FROM (
      SELECT j.name, j.ready_at FROM {schema}.muster_jobs j
      WHERE j.queue = ranked.queue AND j.capability = ranked.capability AND j.rank = ranked.rank
        AND j.ready_at <= {schema}.muster_statement_clock() AND j.ready_at < 'infinity' AND j.status = 'pending'
      ORDER BY j.ready_at LIMIT 51) j) first)
SELECT due.name, due.queue, min(due.ready_at) AS since, count(*) AS jobs, max(due.number) > 50 AS more
FROM due
GROUP BY due.name, due.queue
ORDER BY since
LIMIT 200
