-- Takes the jobs of one node from it, by what muster_claims says of it; the sweep forgets those claims later. Along index
-- muster_claims_lease, from two minutes before the node's last heartbeat on, or from where the sweep has got to: a note whose
-- time is up is given a new time by the sweep, or goes. By the primary key, every note would be read that the node has made
-- since the oldest open transaction began, dead ones among them: hence the node without an index. What is missed because
-- nobody swept for two minutes, the sweep takes when it does.
-- Blamed or not: a node that joins again within its process has interrupted its handlers, and nothing of it died. But
-- what may run only once and was running ends either way.
WITH whose AS MATERIALIZED (SELECT ?::text AS node, ?::boolean AS blamed, ?::timestamptz AS heard, ?::bigint AS swept_to),
named AS MATERIALIZED (
  SELECT DISTINCT claimed.id
  FROM whose
  JOIN {schema}.muster_claims c ON c.lease_until >= least(
        whose.heard - interval '2 minutes', {schema}.muster_statement_clock() - interval '2 minutes',
        timestamptz 'epoch' + whose.swept_to * interval '1 microsecond')
    AND c.node_id || '' = whose.node
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
