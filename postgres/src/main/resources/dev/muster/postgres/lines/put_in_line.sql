-- Puts claimed jobs in line that came in without the line that their handler declares. No attempt is counted. A job that was asked to
-- cancel ends. By the primary key.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::text[]) AS o (id, token, line)),
lined AS (
  UPDATE {schema}.muster_jobs j
  SET token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
      status = 'waiting', ready_at = 'infinity', attempt = j.attempt - 1, line = o.line, line_at = {schema}.muster_position_in_line(o.line),
      rank = {schema}.muster_rank_in_line(o.line, j.priority, true)
  FROM o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND NOT j.cancel_requested
  RETURNING j.id, o.token),
cancelled AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token AND j.cancel_requested
  RETURNING j.*),
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes, 'cancelled', node_id, error, NULL
  FROM cancelled
  RETURNING id, token)
SELECT id, token, false AS cancelled FROM lined
UNION ALL
SELECT id, token, true FROM history
