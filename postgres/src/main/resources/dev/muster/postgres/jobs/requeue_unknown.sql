-- Releases jobs that this node claimed without knowing it, because the acknowledgement of the claim was lost. None of them has started,
-- so nothing is counted.
WITH named AS MATERIALIZED (
  SELECT DISTINCT claimed.id
  FROM {schema}.muster_claims c
  CROSS JOIN LATERAL unnest(c.ids) AS claimed (id)
  WHERE c.node_id = ?
  ORDER BY 1),
dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, false AS crash, false AS blamed, false AS guilty,
         j.cancel_requested, j.crashes, j.max_crashes, j.max_attempts
  FROM named
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id])
  WHERE j.node_id = ? AND j.status = 'claimed' AND NOT (j.token = ANY (?::bigint[]))
  FOR UPDATE OF j SKIP LOCKED),
{jobs/parts/requeue_lost}
