-- Like finish.sql, for rows whose place is known from their claim: a visit to the place instead of a search along
-- the primary key, which finds the row's dead predecessor as well (15 % of the statement, measured). The place is
-- a hint, the id and the token are the guard; what is not there any more is left to finish.sql.
-- With index scans allowed, the planner walks the whole primary key when it believes the table to be empty.
SELECT set_config('enable_indexscan', 'off', true);
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING unnest(?::tid[], ?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::bigint[])
    AS o (place, id, token, status, result, error, ran_ms)
  WHERE j.ctid = o.place AND j.id = o.id AND j.token = o.token
  RETURNING j.*, coalesce(o.status, 'completed') AS end_status, o.result AS end_result, o.error AS end_error, o.ran_ms)
INSERT INTO {schema}.muster_job_history
  ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
SELECT {kept}, token, {schema}.muster_clock(),
       coalesce(started_at, {schema}.muster_clock() - ran_ms * interval '1 millisecond'),
       crashes, end_status, node_id, CASE WHEN end_status = 'completed' THEN NULL ELSE coalesce(end_error, error) END,
       end_result::jsonb
FROM ended;
SELECT set_config('enable_indexscan', 'on', true)
