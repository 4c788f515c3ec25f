-- Lets the runs of a workflow go on: those that were parked because of the pause are due at once.
WITH gone AS (
  DELETE FROM {schema}.muster_workflow_pauses WHERE name = ? RETURNING name),
run AS (
  UPDATE {schema}.muster_workflow_runs r SET resolution_reason = NULL, status = 'pending'
  FROM gone WHERE r.workflow_name = gone.name AND r.finished_at IS NULL AND r.resolution_reason = 'the workflow is paused'
  RETURNING r.id)
UPDATE {schema}.muster_jobs j SET ready_at = {schema}.muster_clock(), rank = j.priority + 1
FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending'
RETURNING j.queue, j.capability
