-- Ends runs whose rows are locked, and their drivers, under the drivers' tokens. A child's end is an event for its parent, whose row is
-- locked too. A run that continues as a new one leaves its priority, its parent, its key, and events that nobody has taken to it, which
-- becomes the last of its chain. Its version may be another one. A run that was asked to end continues as no other: its driver is due
-- again, and the next activation ends it.
-- OFFSET 0 and the column live keep the planner from walking all runs, or all live ones, or all events that nobody has taken: see the
-- preamble.
WITH o AS MATERIALIZED (
  SELECT o.*, r.key, r.finished_at IS NULL AS live,
         o.successor IS NOT NULL AND r.cancel_requested AND r.finished_at IS NULL AS stays
  FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::text[],
              ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[])
    AS o (run, claim_token, outcome, answer, failure, failed_steps, reason, successor, successor_input,
          next_version, next_signature, next_driver, next_queue, next_capability, next_max_crashes)
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[o.run])
  WHERE o.run = ANY (current_setting('muster.locked_runs')::uuid[])
    AND (r.parent_run IS NULL OR r.parent_run = ANY (current_setting('muster.locked_runs')::uuid[])
         OR NOT EXISTS (SELECT FROM {schema}.muster_workflow_runs p WHERE p.id = ANY (ARRAY[r.parent_run]) OFFSET 0))),
back AS (
  UPDATE {schema}.muster_jobs j
  SET {jobs/parts/back_to_pending}, attempt = 0, crashes = 0, suspect = false, rank = j.priority, error = NULL,
      run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock()
  FROM o
  WHERE j.id = ANY (ARRAY[o.run]) AND j.token = o.claim_token AND o.stays
  RETURNING j.id, o.claim_token, j.queue, j.capability),
ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = ANY (ARRAY[o.run]) AND j.token = o.claim_token AND NOT o.stays
  RETURNING j.*, o.claim_token, o.outcome, o.failure),
{workflows/parts/ended_into_history},
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = o.outcome, result = o.answer::jsonb, error = o.failure, failed_steps = string_to_array(o.failed_steps, ' '),
      resolution_reason = coalesce(o.reason, r.resolution_reason), continued_as = o.successor,
      key = CASE WHEN o.successor IS NULL THEN r.key END,
      awaiting = NULL, wake_at = NULL, changed_at = {schema}.muster_clock(), finished_at = {schema}.muster_clock()
  FROM o JOIN ended ON ended.id = o.run
  WHERE r.id = ANY (ARRAY[o.run]) AND o.live
  RETURNING r.*, o.answer, o.successor, o.successor_input, o.key AS handed_key,
            o.next_version, o.next_signature, o.next_driver, o.next_queue, o.next_capability, o.next_max_crashes),
told AS (
  INSERT INTO {schema}.muster_workflow_events AS e (run_id, event_id, name, payload, sent_at)
  SELECT run.parent_run, 'muster:child:' || run.parent_path, 'muster:child:' || run.parent_path,
         jsonb_build_object('run', run.id, 'status', run.status, 'result', run.answer, 'error', run.error), {schema}.muster_clock()
  FROM run
  WHERE run.successor IS NULL
    AND EXISTS (SELECT FROM {schema}.muster_workflow_runs p WHERE p.id = ANY (ARRAY[run.parent_run]) OFFSET 0)
  ON CONFLICT (run_id, event_id) DO UPDATE SET name = excluded.name, payload = excluded.payload, sent_at = excluded.sent_at, taken_by = NULL
  RETURNING e.run_id, e.name),
woken AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM told JOIN {schema}.muster_workflow_runs p ON p.id = ANY (ARRAY[told.run_id])
  WHERE j.id = ANY (ARRAY[told.run_id]) AND j.token IS NULL AND j.status = 'pending' AND told.name = ANY (p.awaiting)
  RETURNING j.queue, j.capability),
next AS (
  INSERT INTO {schema}.muster_workflow_runs
    (id, workflow_name, workflow_version, signature, input, key, parent_run, parent_path, queue, capability, priority, max_crashes,
     steps_from, created_at, changed_at, first_run, trace, key_kid, key_hash)
  SELECT successor, workflow_name, next_version, next_signature, successor_input::jsonb, handed_key, parent_run, parent_path, next_queue,
         next_capability, priority, next_max_crashes, {schema}.muster_clock(), {schema}.muster_clock(), {schema}.muster_clock(),
         coalesce(first_run, id), trace, key_kid, key_hash
  FROM run WHERE successor IS NOT NULL),
chain AS (
  INSERT INTO {schema}.muster_workflow_chains AS c (first_run, last_run)
  SELECT coalesce(run.first_run, run.id), run.successor FROM run WHERE run.successor IS NOT NULL
  ON CONFLICT (first_run) DO UPDATE SET last_run = excluded.last_run),
handed AS (
  UPDATE {schema}.muster_workflow_events e SET run_id = run.successor
  FROM run CROSS JOIN LATERAL (
    SELECT x.ctid AS tid FROM {schema}.muster_workflow_events x
    WHERE x.run_id = run.id AND x.taken_by IS NULL AND NOT starts_with(x.name, 'muster:') OFFSET 0) x
  WHERE run.successor IS NOT NULL AND e.ctid = x.tid),
driver AS (
  INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes, trace)
  SELECT run.successor, run.next_driver, run.next_queue, run.next_capability, run.priority, run.priority, {schema}.muster_clock(), 'null',
         run.next_max_crashes, run.trace
  FROM run WHERE run.successor IS NOT NULL
  RETURNING queue, capability)
SELECT id, claim_token, NULL AS queue, NULL AS capability FROM ended
UNION ALL SELECT id, claim_token, queue, capability FROM back
UNION ALL SELECT NULL, NULL, queue, capability FROM woken
UNION ALL SELECT NULL, NULL, queue, capability FROM driver
