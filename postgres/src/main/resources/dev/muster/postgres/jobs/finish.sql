-- Ends claims: moves each live row whose token is current to history. Finds rows by primary key alone;
-- a status in the WHERE clause would tempt the planner to the lease index (8 times slower, measured).
-- Nothing is returned but the count: naming what was ended costs 5 % of the statement, and is rarely needed.
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::bigint[])
    AS o (id, token, status, result, error, ran_ms)
  WHERE j.id = o.id AND j.token = o.token
  RETURNING j.*, coalesce(o.status, 'completed') AS end_status, o.result AS end_result, o.error AS end_error, o.ran_ms)
INSERT INTO {schema}.muster_job_history
  ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
SELECT {kept}, token, {schema}.muster_clock(),
       coalesce(started_at, {schema}.muster_clock() - ran_ms * interval '1 millisecond'),
       crashes, end_status, node_id, CASE WHEN end_status = 'completed' THEN NULL ELSE coalesce(end_error, error) END,
       end_result::jsonb
FROM ended
