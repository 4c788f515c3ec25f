-- Puts claimed jobs into the group that their handler declares, without which they came in. No attempt is counted. A job that was asked to
-- cancel ends. By the primary key.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::text[]) AS o (id, token, concurrency_group)),
moved AS (
  UPDATE {schema}.muster_jobs j
  SET token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
      status = 'waiting', ready_at = 'infinity', attempt = j.attempt - 1, concurrency_group = o.concurrency_group, group_position = {schema}.muster_position_in_group(o.concurrency_group),
      rank = {schema}.muster_rank_in_group(o.concurrency_group, j.priority, true)
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
SELECT id, token, false AS cancelled FROM moved
UNION ALL
SELECT id, token, true FROM history
