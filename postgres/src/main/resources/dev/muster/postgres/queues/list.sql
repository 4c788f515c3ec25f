-- Queues with live jobs, and those that were paused, with their counts.
SELECT name, q.paused_at, coalesce(waiting, 0) AS waiting, coalesce(pending, 0) AS pending,
       coalesce(claimed, 0) AS claimed, coalesce(running, 0) AS running, oldest_due
FROM (SELECT queue AS name,
             count(*) FILTER (WHERE status = 'waiting') AS waiting, count(*) FILTER (WHERE status = 'pending') AS pending,
             count(*) FILTER (WHERE status = 'claimed') AS claimed, count(*) FILTER (WHERE status = 'running') AS running,
             min(ready_at) FILTER (WHERE status = 'pending' AND ready_at <= {schema}.muster_statement_clock()) AS oldest_due
      FROM {schema}.muster_jobs GROUP BY queue) j
FULL JOIN {schema}.muster_queues q USING (name)
WHERE j.name IS NOT NULL OR q.paused_at IS NOT NULL
ORDER BY name
