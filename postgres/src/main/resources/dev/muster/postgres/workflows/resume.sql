-- Makes the runs that were parked because of a pause due at once. Those are parked for no event and no time; what else is, parks again.
WITH run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN r.ends_as IS NULL THEN 'pending' ELSE 'compensating' END, resolution_reason = NULL, awaiting = NULL
  WHERE r.workflow_name = ? AND r.finished_at IS NULL AND r.awaiting = '{}' AND r.wake_at IS NULL
    AND NOT EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name)
  RETURNING r.id)
UPDATE {schema}.muster_jobs j SET ready_at = {schema}.muster_clock(), rank = j.priority + 1
FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending'
RETURNING j.queue, j.capability
