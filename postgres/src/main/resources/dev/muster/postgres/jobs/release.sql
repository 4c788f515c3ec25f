-- Takes the claims of one node from it, along index muster_jobs_lease from the leases on that it could still hold when it
-- was last heard of; what ran out before is the sweep's. Blamed or not: a node that joins again within its process has
-- interrupted its handlers, and nothing of it died. But what may run only once and was running ends either way.
WITH dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, j.status = 'running' AND (whose.blamed OR coalesce(j.max_crashes, 1) = 0) AS crash, whose.blamed,
         j.cancel_requested, j.crashes, j.max_crashes, j.max_attempts
  FROM (SELECT ?::text AS node, ?::boolean AS blamed, ?::timestamptz AS heard) whose
  JOIN {schema}.muster_jobs j ON j.lease_until IS NOT NULL AND j.lease_until >= whose.heard AND j.node_id = whose.node
  FOR UPDATE OF j SKIP LOCKED),
{jobs/take_back}
