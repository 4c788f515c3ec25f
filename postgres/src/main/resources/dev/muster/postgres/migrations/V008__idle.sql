-- What an idle worker asks: one statement that needs no transaction around it and no settings before it.

CREATE FUNCTION muster_lanes() RETURNS TABLE (queue text, capability text, paused boolean)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  WITH RECURSIVE lane AS (
    (SELECT j.queue, j.capability FROM muster_jobs j WHERE j.status = 'pending' ORDER BY j.queue, j.capability LIMIT 1)
    UNION ALL
    SELECT next.queue, next.capability
    FROM lane
    CROSS JOIN LATERAL (
      SELECT j.queue, j.capability FROM muster_jobs j
      WHERE j.status = 'pending' AND (j.queue, j.capability) > (lane.queue, lane.capability)
      ORDER BY j.queue, j.capability LIMIT 1) next)
  SELECT lane.queue, lane.capability, false FROM lane
  UNION ALL
  SELECT q.name, NULL, true FROM muster_queues q WHERE q.paused_at IS NOT NULL
$$;
COMMENT ON FUNCTION muster_lanes() IS 'The lanes that have pending jobs, due or not, by hopping along index muster_jobs_ready from lane to lane; and the queues that are paused.';
