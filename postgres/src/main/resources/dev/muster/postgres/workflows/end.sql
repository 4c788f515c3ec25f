-- Ends runs whose rows are locked, and their drivers, under the drivers' tokens. A child's end is an event for its parent, whose row is
-- locked too. A run that continues as a new one leaves its options, its parent and a request to end to it.
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::text[])
    AS o (run, claim_token, outcome, answer, failure, reason, successor, successor_input)),
ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = ANY (ARRAY[o.run]) AND j.token = o.claim_token
  RETURNING j.*, o.claim_token, o.outcome, o.failure),
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes,
         CASE outcome WHEN 'completed' THEN 'completed' WHEN 'cancelled_by_operator' THEN 'cancelled' ELSE 'failed' END,
         node_id, failure, NULL
  FROM ended),
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = o.outcome, result = o.answer::jsonb, error = o.failure, resolution_reason = coalesce(o.reason, r.resolution_reason),
      awaiting = NULL, wake_at = NULL, changed_at = {schema}.muster_clock(), finished_at = {schema}.muster_clock()
  FROM o JOIN ended ON ended.id = o.run
  WHERE r.id = ANY (ARRAY[o.run]) AND r.finished_at IS NULL
  RETURNING r.*, o.answer, o.successor, o.successor_input),
told AS (
  INSERT INTO {schema}.muster_workflow_events (run_id, event_id, name, payload, sent_at)
  SELECT parent_run, 'muster:child:' || parent_path, 'muster:child:' || parent_path,
         jsonb_build_object('run', id, 'status', status, 'result', answer, 'error', error), {schema}.muster_clock()
  FROM run WHERE parent_run IS NOT NULL AND successor IS NULL
  ON CONFLICT DO NOTHING
  RETURNING run_id, name),
woken AS (
  UPDATE {schema}.muster_jobs j SET ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM told JOIN {schema}.muster_workflow_runs p ON p.id = ANY (ARRAY[told.run_id])
  WHERE j.id = ANY (ARRAY[told.run_id]) AND j.token IS NULL AND j.status = 'pending' AND told.name = ANY (p.awaiting)
  RETURNING j.queue, j.capability),
next AS (
  INSERT INTO {schema}.muster_workflow_runs
    (id, workflow_name, workflow_version, signature, input, parent_run, parent_path, queue, capability, priority, max_crashes,
     steps_from, created_at, changed_at, cancel_requested, resolution_reason)
  SELECT successor, workflow_name, workflow_version, signature, successor_input::jsonb, parent_run, parent_path, queue, capability, priority,
         max_crashes, {schema}.muster_clock(), {schema}.muster_clock(), {schema}.muster_clock(), cancel_requested,
         NULL
  FROM run WHERE successor IS NOT NULL),
driver AS (
  INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes)
  SELECT run.successor, ended.name, run.queue, run.capability, run.priority, run.priority, {schema}.muster_clock(), 'null', run.max_crashes
  FROM run JOIN ended ON ended.id = run.id WHERE run.successor IS NOT NULL
  RETURNING queue, capability)
SELECT id, claim_token, NULL AS queue, NULL AS capability FROM ended
UNION ALL SELECT NULL, NULL, queue, capability FROM woken
UNION ALL SELECT NULL, NULL, queue, capability FROM driver
