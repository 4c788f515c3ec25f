-- Stores steps of many runs like save_steps, at two thirds of its cost: only steps under whose path nothing is stored, of drivers that have
-- not crashed since their last step. If there is something under a path, the statement fails; other drivers do not come back.
WITH s AS MATERIALIZED (
  SELECT s.*, r.steps_from, r.finished_at, coalesce(s.due, {schema}.muster_clock() + s.delay_ms * interval '1 millisecond') AS due_at,
         r.cancel_requested::int
           + CASE WHEN EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name) THEN 2 ELSE 0 END AS asked
  FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::text[], ?::text[],
              ?::timestamptz[], ?::bigint[], ?::text[], ?::text[], ?::text[])
    AS s (run, claim_token, path, name, kind, status, attempt, result, error, due, delay_ms, compensation, compensation_args, node)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[s.run]) AND j.token = s.claim_token AND j.crashes = 0
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[s.run])
  FOR KEY SHARE OF j SKIP LOCKED),
stored AS (
  INSERT INTO {schema}.muster_workflow_steps
    (run_id, path, steps_from, seq, token, attempt, stored_at, due_at, kind, status, name, node_id, result, error, compensation,
     compensation_args)
  SELECT s.run, s.path, s.steps_from, nextval('{schema}.muster_workflow_step_seq'), s.claim_token, s.attempt, {schema}.muster_clock(),
         s.due_at, s.kind, s.status, s.name, s.node, s.result::jsonb, s.error, s.compensation, s.compensation_args::jsonb
  FROM s WHERE s.finished_at IS NULL)
SELECT run AS run_id, path, due_at, asked, claim_token AS token FROM s WHERE finished_at IS NULL
