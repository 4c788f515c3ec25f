-- Asks runs whose rows are locked to end, and makes their drivers due if they are parked.
WITH run AS (
  UPDATE {schema}.muster_workflow_runs r SET cancel_requested = true,
    resolution_reason = CASE WHEN r.cancel_requested THEN r.resolution_reason ELSE ? END, changed_at = {schema}.muster_clock()
  WHERE r.id = ANY (?::uuid[]) AND r.finished_at IS NULL
  RETURNING r.id, r.queue, r.capability),
driver AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > {schema}.muster_clock())
SELECT queue, capability FROM run
