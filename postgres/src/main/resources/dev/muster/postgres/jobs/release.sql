-- Takes the jobs of one node from it, by what muster_claims says of it; the sweep forgets those claims later.
-- Blamed or not: a node that joins again within its process has interrupted its handlers, and nothing of it died. But
-- what may run only once and was running ends either way.
WITH whose AS MATERIALIZED (SELECT ?::text AS node, ?::boolean AS blamed),
named AS MATERIALIZED (
  SELECT DISTINCT claimed.id
  FROM whose
  JOIN {schema}.muster_claims c ON c.node_id = ANY (ARRAY[whose.node])
  CROSS JOIN LATERAL unnest(c.ids) AS claimed (id)
  ORDER BY 1),
dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, j.status = 'running' AND (whose.blamed OR coalesce(j.max_crashes, 1) = 0) AS crash, whose.blamed, false AS guilty,
         j.cancel_requested, j.crashes, j.max_crashes, j.max_attempts
  FROM whose
  CROSS JOIN named
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = whose.node
  FOR UPDATE OF j SKIP LOCKED),
{jobs/take_back}
