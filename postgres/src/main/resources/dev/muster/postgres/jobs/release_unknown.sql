-- Gives back what this node claimed and never heard of: the acknowledgement of the claim was lost. None of it has
-- started, so nothing counts.
WITH named AS MATERIALIZED (
  SELECT DISTINCT claimed.id
  FROM {schema}.muster_claims c
  CROSS JOIN LATERAL unnest(c.ids) AS claimed (id)
  WHERE c.node_id = ?
  ORDER BY 1),
unknown AS MATERIALIZED (
  SELECT j.id
  FROM named
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id])
  WHERE j.node_id = ? AND j.status = 'claimed' AND NOT (j.token = ANY (?::bigint[]))
  FOR UPDATE OF j SKIP LOCKED)
UPDATE {schema}.muster_jobs j
SET status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
    attempt = j.attempt - 1, rank = j.priority + 1, ready_at = {schema}.muster_clock()
FROM unknown
WHERE j.id = ANY (ARRAY[unknown.id])
RETURNING j.queue, j.capability
