-- Takes claims whose lease ran out from their node, along index muster_jobs_lease. The lower bound keeps the scan
-- off the index's dead end.
WITH dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, j.status = 'running' AS crash, true AS blamed,
         j.cancel_requested, j.crashes, j.max_crashes, j.max_attempts
  FROM {schema}.muster_jobs j
  WHERE j.lease_until < {schema}.muster_statement_clock()
    AND j.lease_until >= {schema}.muster_statement_clock() - ? * interval '1 millisecond'
    AND j.lease_until IS NOT NULL
  ORDER BY j.lease_until
  LIMIT ?
  FOR UPDATE SKIP LOCKED),
{jobs/take_back}
