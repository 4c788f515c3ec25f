-- Takes the jobs of one node from it, according to its notes in muster_claims; the sweep deletes those notes later. Runs along index
-- muster_claims_lease, from two minutes before the node's last heartbeat, or from where the sweep has got to: the sweep gives a note
-- whose time is over a new time, or deletes it. The primary key would read every note that the node has made since the oldest open
-- transaction began, including dead ones; that is why the node is compared without an index. If nobody swept for two minutes, some
-- notes are missed here, and the sweep takes back their jobs later.
-- "blamed" is false for a node that joins again within its process: it has interrupted its handlers, and nothing died. But a job that
-- may run only once and was running ends in both cases.
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
{jobs/parts/requeue_lost}
