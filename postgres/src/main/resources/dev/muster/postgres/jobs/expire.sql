-- Ends jobs that no node claimed in time, along index muster_jobs_expiry. The lower bound keeps the scan away from dead entries at
-- the index's start.
WITH late AS MATERIALIZED (
  SELECT j.id FROM {schema}.muster_jobs j
  WHERE j.expires_at IS NOT NULL AND j.token IS NULL AND j.expires_at <= {schema}.muster_statement_clock()
    AND j.expires_at >= timestamptz 'epoch' + ? * interval '1 microsecond'
  ORDER BY j.expires_at
  LIMIT ?
  FOR UPDATE SKIP LOCKED),
ended AS (DELETE FROM {schema}.muster_jobs j USING late WHERE j.id = ANY (ARRAY[late.id]) RETURNING j.*),
{jobs/parts/forget_dependencies}
{jobs/parts/into_history}
SELECT {kept}, NULL, {schema}.muster_clock(), NULL, crashes, 'expired', NULL,
       coalesce(error, 'not started before it expired'), NULL
FROM ended
RETURNING id, name, queue, attempt
