-- Lanes and ranks with a job that has been due for so long and that nobody holds, except critical jobs and those of paused queues; and since
-- when the first one waits. They are found by jumping along index muster_jobs_ready from lane to lane and rank to rank.
WITH RECURSIVE ranked AS (
  (SELECT j.queue, j.capability, j.rank, j.ready_at FROM {schema}.muster_jobs j WHERE j.ready_at < 'infinity' AND j.status = 'pending'
   ORDER BY j.queue, j.capability, j.rank, j.ready_at LIMIT 1)
  UNION ALL
  SELECT next.queue, next.capability, next.rank, next.ready_at
  FROM ranked
  CROSS JOIN LATERAL (
    SELECT j.queue, j.capability, j.rank, j.ready_at FROM {schema}.muster_jobs j
    WHERE j.ready_at < 'infinity' AND j.status = 'pending'
      AND (j.queue, j.capability, j.rank) > (ranked.queue, ranked.capability, ranked.rank)
    ORDER BY j.queue, j.capability, j.rank, j.ready_at LIMIT 1) next)
SELECT ranked.queue, ranked.capability, ranked.rank,
       (extract(epoch FROM greatest(ranked.ready_at, timestamptz 'epoch')) * 1000000)::bigint AS from_micros
FROM ranked
WHERE ranked.rank < 100 AND ranked.ready_at <= {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  AND NOT EXISTS (SELECT FROM {schema}.muster_queues q WHERE q.name = ranked.queue AND q.paused_at IS NOT NULL)
