-- Charges a crash to claims whose handler ended its node's process. Unlike a node that is found dead, this node knows which of its
-- jobs did it.
WITH dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, true AS crash, true AS blamed, true AS guilty,
         j.cancel_requested, j.crashes, j.max_crashes, j.max_attempts
  FROM unnest(?::uuid[], ?::bigint[]) AS o (id, token)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[o.id]) AND j.token = o.token
  FOR UPDATE OF j SKIP LOCKED),
{jobs/parts/requeue_lost}
