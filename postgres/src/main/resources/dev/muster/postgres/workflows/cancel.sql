-- Asks a run whose row is locked to end, and makes its driver due if it is parked.
WITH run AS (
  UPDATE {schema}.muster_workflow_runs r SET cancel_requested = true, resolution_reason = ?, changed_at = {schema}.muster_clock()
  WHERE r.id = ? AND r.finished_at IS NULL
  RETURNING r.id, r.queue, r.capability),
driver AS (
  UPDATE {schema}.muster_jobs j SET ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > {schema}.muster_clock())
SELECT queue, capability FROM run
