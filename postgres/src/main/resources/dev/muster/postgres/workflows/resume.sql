-- Makes some of the runs that were parked because of a pause due at once, if the pause is over: those that wait for neither an event nor a
-- time.
WITH target AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.workflow_name = ? AND r.finished_at IS NULL AND r.awaiting = '{}' AND r.wake_at IS NULL
    AND NOT EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name)
  LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED),
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN r.ends_as IS NULL THEN 'pending' ELSE 'compensating' END, awaiting = NULL,
      resolution_reason = CASE WHEN r.cancel_requested THEN r.resolution_reason END
  FROM target WHERE r.id = ANY (ARRAY[target.id])
  RETURNING r.id, r.queue, r.capability),
driver AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending')
SELECT queue, capability FROM run
