-- Records progress of current claims. Locked rows are skipped, because the next report comes anyway.
WITH mine AS MATERIALIZED (
  SELECT j.id, o.percent, o.message
  FROM unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[]) AS o (id, token, percent, message)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[o.id]) AND j.token = o.token
  FOR NO KEY UPDATE OF j SKIP LOCKED)
UPDATE {schema}.muster_jobs j SET progress = mine.percent, progress_message = mine.message
FROM mine WHERE j.id = ANY (ARRAY[mine.id])
RETURNING j.id, j.token
