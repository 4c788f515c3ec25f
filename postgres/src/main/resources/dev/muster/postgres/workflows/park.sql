-- Parks runs whose rows are locked (muster_signal_run in R__functions_workflows.sql wakes them): their drivers become pending with a due time, at once if an event or a cancellation has come
-- meanwhile, or an operator has given the run up: then a node ends the driver, which would stay parked forever otherwise.
-- Attempts and crashes are counted from zero again, because a run that lives for a year must not die of unrelated ones.
-- Whether a run is live is asked before the UPDATE: asked in it, the planner would walk the index of all live runs.
-- A run that waits without a limit is due in the far future; infinity would mean that it waits for other jobs.
-- A run that only another node can end does not become due because somebody has asked it to: the same node would take it again at once.
-- A run that is parked because of a pause is due at once if the pause is over. The pause is locked: who ends it waits until this is written.
WITH parts AS MATERIALIZED (
  SELECT o.*, r.workflow_name, r.cancel_requested, r.ends_as, r.finished_at
  FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::timestamptz[], ?::text[], ?::text[], ?::boolean[], ?::boolean[])
    AS o (run, claim_token, status, due, events, reason, pausing, elsewhere)
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[o.run])
  WHERE o.run = ANY (current_setting('muster.locked_runs')::uuid[])),
pauses AS MATERIALIZED (
  SELECT p.name FROM {schema}.muster_workflow_pauses p
  WHERE p.name IN (SELECT workflow_name FROM parts WHERE pausing) ORDER BY p.name FOR KEY SHARE),
o AS MATERIALIZED (
  SELECT o.*, string_to_array(o.events, ' ') AS awaiting,
         o.finished_at IS NOT NULL
         OR o.cancel_requested AND o.ends_as IS NULL AND NOT o.elsewhere
         OR o.pausing AND NOT EXISTS (SELECT FROM pauses p WHERE p.name = o.workflow_name)
         OR EXISTS (SELECT FROM {schema}.muster_workflow_events e
                    WHERE e.run_id = o.run AND e.taken_by IS NULL AND e.name = ANY (string_to_array(o.events, ' '))) AS come
  FROM parts o),
back AS (
  UPDATE {schema}.muster_jobs j
  SET {jobs/parts/back_to_pending}, attempt = 0, crashes = 0, suspect = false, rank = j.priority, error = NULL,
      run_at = CASE WHEN o.come THEN {schema}.muster_clock() ELSE coalesce(o.due, '9999-01-01Z') END,
      ready_at = CASE WHEN o.come THEN {schema}.muster_clock()
                      ELSE greatest(coalesce(o.due, '9999-01-01Z'), {schema}.muster_clock()) END
  FROM o
  WHERE j.id = ANY (ARRAY[o.run]) AND j.token = o.claim_token
  RETURNING j.id, o.claim_token, j.queue, j.capability, j.ready_at),
parked AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = o.status, awaiting = o.awaiting, wake_at = o.due, resolution_reason = CASE WHEN r.cancel_requested THEN r.resolution_reason ELSE o.reason END,
      changed_at = {schema}.muster_clock()
  FROM o JOIN back ON back.id = o.run
  WHERE r.id = ANY (ARRAY[o.run]) AND o.finished_at IS NULL)
SELECT id, claim_token, queue, capability,
       greatest(0, (date_part('epoch', ready_at - {schema}.muster_clock()) * 1000)::bigint) AS delay_ms
FROM back
