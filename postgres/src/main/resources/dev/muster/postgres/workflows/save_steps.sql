-- Stores steps of many runs, each under the token of its driver's claim. The driver is locked until the commit: another node can take the
-- claim over only after it, and finds the step. A completed step is progress: crashes are counted from zero again. What
-- does not come back was stored before, or its claim is lost, or its driver is locked. The fourth column says what the run has to know:
-- 1 that it was asked to end, 2 that its workflow is paused. Whether the run is live is asked after the join: asked in it, the planner would
-- walk the index of all live runs.
WITH s AS MATERIALIZED (
  SELECT s.*, j.crashes, r.steps_from, r.finished_at
  FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::text[], ?::text[],
              ?::timestamptz[], ?::bigint[], ?::text[], ?::text[], ?::text[])
    AS s (run, claim_token, path, name, kind, status, attempt, result, error, due, delay_ms, compensation, compensation_args, node)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[s.run]) AND j.token = s.claim_token
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[s.run])
  FOR KEY SHARE OF j SKIP LOCKED),
progress AS (
  UPDATE {schema}.muster_jobs j SET crashes = 0
  FROM (SELECT DISTINCT run, claim_token FROM s WHERE crashes > 0 AND status = 'completed') p
  WHERE j.id = ANY (ARRAY[p.run]) AND j.token = p.claim_token)
INSERT INTO {schema}.muster_workflow_steps AS stored
  (run_id, path, steps_from, seq, token, attempt, stored_at, due_at, kind, status, name, node_id, result, error, compensation,
   compensation_args)
SELECT s.run, s.path, s.steps_from, nextval('{schema}.muster_workflow_step_seq'), s.claim_token, s.attempt, {schema}.muster_clock(),
       coalesce(s.due, {schema}.muster_clock() + s.delay_ms * interval '1 millisecond'), s.kind, s.status, s.name, s.node,
       s.result::jsonb, s.error, s.compensation, s.compensation_args::jsonb
FROM s WHERE s.finished_at IS NULL
ON CONFLICT (run_id, path, steps_from) DO UPDATE
SET seq = excluded.seq, token = excluded.token, attempt = excluded.attempt, stored_at = excluded.stored_at, due_at = excluded.due_at,
    status = excluded.status, node_id = excluded.node_id, result = excluded.result, error = excluded.error,
    compensation = excluded.compensation, compensation_args = excluded.compensation_args
WHERE stored.status IN ('retrying', 'waiting')
RETURNING run_id, path, due_at,
  (SELECT r.cancel_requested::int
          + CASE WHEN EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name) THEN 2 ELSE 0 END
   FROM {schema}.muster_workflow_runs r WHERE r.id = ANY (ARRAY[run_id])), token
