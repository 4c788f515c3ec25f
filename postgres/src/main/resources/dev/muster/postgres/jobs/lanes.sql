-- The lanes that have pending jobs, due or not, found by jumping along index muster_jobs_ready from lane to lane.
WITH RECURSIVE lane AS (
  (SELECT j.queue, j.capability FROM {schema}.muster_jobs j WHERE j.ready_at < 'infinity' AND j.status = 'pending'
   ORDER BY j.queue, j.capability LIMIT 1)
  UNION ALL
  SELECT next.queue, next.capability
  FROM lane
  CROSS JOIN LATERAL (
    SELECT j.queue, j.capability FROM {schema}.muster_jobs j
    WHERE j.ready_at < 'infinity' AND j.status = 'pending' AND (j.queue, j.capability) > (lane.queue, lane.capability)
    ORDER BY j.queue, j.capability LIMIT 1) next)
SELECT queue, capability FROM lane
