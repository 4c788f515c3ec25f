-- Ends claims: moves each live row whose token is current to history. Finds rows by primary key alone;
-- a status in the WHERE clause would tempt the planner to the lease index (8 times slower, measured).
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::bigint[])
    AS o (id, token, status, result, error, ran_ms)
  WHERE j.id = o.id AND j.token = o.token
  RETURNING j.*, o.status AS end_status, o.result AS end_result, o.error AS end_error, o.ran_ms)
INSERT INTO {schema}.muster_job_history
  (id, token, finished_at, run_at, created_at, started_at, timeout_ms, priority, attempt, max_attempts, crashes,
   max_crashes, status, name, queue, capability, node_id, key, error, args, metadata, result)
SELECT id, token, {schema}.muster_clock(), run_at, created_at,
       coalesce(started_at, {schema}.muster_clock() - ran_ms * interval '1 millisecond'),
       timeout_ms, priority, attempt, max_attempts, crashes, max_crashes, end_status, name, queue, capability, node_id, key,
       CASE WHEN end_status = 'completed' THEN NULL ELSE coalesce(end_error, error) END,
       args, metadata, end_result::jsonb
FROM ended
RETURNING id, token
