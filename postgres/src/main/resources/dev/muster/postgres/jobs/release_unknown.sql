-- Gives back what this node claimed and never heard of: the acknowledgement of the claim was lost. None of it has
-- started, so nothing counts. Along muster_jobs_lease from where leases are still good: what has run out is the
-- sweep's, and the index's dead end is not walked.
WITH unknown AS MATERIALIZED (
  SELECT j.id
  FROM {schema}.muster_jobs j
  WHERE j.lease_until >= {schema}.muster_statement_clock() AND j.lease_until IS NOT NULL
    AND j.node_id = ? AND j.status = 'claimed' AND NOT (j.token = ANY (?::bigint[]))
  FOR UPDATE SKIP LOCKED)
UPDATE {schema}.muster_jobs j
SET status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
    attempt = j.attempt - 1, rank = j.priority + 1, ready_at = {schema}.muster_clock()
FROM unknown
WHERE j.id = ANY (ARRAY[unknown.id])
RETURNING j.queue, j.capability
