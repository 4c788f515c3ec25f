-- Stores steps of many runs, each under the token of its driver's claim. The driver is locked until the commit: another node can take the
-- claim over only after it, and finds the step. A completed step is progress: crashes are counted from zero again. What
-- does not come back was stored before, or its claim is lost, or its driver is locked.
WITH s AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::text[], ?::text[],
                       ?::timestamptz[], ?::bigint[], ?::text[], ?::text[], ?::text[])
    WITH ORDINALITY
    AS s (run, claim_token, path, name, kind, status, attempt, result, error, due, delay_ms, compensation, compensation_args, node, nr)),
held AS MATERIALIZED (
  SELECT j.id, j.token FROM (SELECT DISTINCT run, claim_token FROM s) c
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[c.run]) AND j.token = c.claim_token
  FOR KEY SHARE OF j SKIP LOCKED),
progress AS (
  UPDATE {schema}.muster_jobs j SET crashes = 0
  FROM held WHERE j.id = ANY (ARRAY[held.id]) AND j.token = held.token AND j.crashes > 0
    AND EXISTS (SELECT FROM s WHERE s.run = held.id AND s.status = 'completed'))
INSERT INTO {schema}.muster_workflow_steps AS stored
  (run_id, path, steps_from, seq, token, attempt, stored_at, due_at, kind, status, name, node_id, result, error, compensation,
   compensation_args)
SELECT s.run, s.path, r.steps_from, nextval('{schema}.muster_workflow_step_seq'), s.claim_token, s.attempt, {schema}.muster_clock(),
       coalesce(s.due, {schema}.muster_clock() + s.delay_ms * interval '1 millisecond'), s.kind, s.status, s.name, s.node,
       s.result::jsonb, s.error, s.compensation, s.compensation_args::jsonb
FROM s
JOIN held ON held.id = ANY (ARRAY[s.run]) AND held.token = s.claim_token
JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[s.run]) AND r.finished_at IS NULL
ON CONFLICT (run_id, path, steps_from) DO UPDATE
SET seq = excluded.seq, token = excluded.token, attempt = excluded.attempt, stored_at = excluded.stored_at, due_at = excluded.due_at,
    status = excluded.status, node_id = excluded.node_id, result = excluded.result, error = excluded.error,
    compensation = excluded.compensation, compensation_args = excluded.compensation_args
WHERE stored.status IN ('retrying', 'waiting')
RETURNING run_id, path, due_at,
  (SELECT r.cancel_requested FROM {schema}.muster_workflow_runs r WHERE r.id = run_id) AS cancel_requested,
  EXISTS (SELECT FROM {schema}.muster_workflow_pauses p JOIN {schema}.muster_workflow_runs r ON r.workflow_name = p.name
          WHERE r.id = run_id) AS paused,
  token
