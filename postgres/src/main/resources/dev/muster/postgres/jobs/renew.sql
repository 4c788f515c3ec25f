-- Extends leases. Skips locked rows, for example those of an open completeIn transaction; the next pass renews them. A run
-- that stores a step meanwhile holds the row FOR KEY SHARE, which this lock does not exclude.
WITH mine AS MATERIALIZED (
  SELECT j.id
  FROM unnest(?::uuid[], ?::bigint[]) AS o (id, token)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[o.id]) AND j.token = o.token
  FOR NO KEY UPDATE OF j SKIP LOCKED)
UPDATE {schema}.muster_jobs j
SET lease_until = {schema}.muster_clock() + ? * interval '1 millisecond'
FROM mine
WHERE j.id = ANY (ARRAY[mine.id])
RETURNING j.id, j.token, j.cancel_requested
