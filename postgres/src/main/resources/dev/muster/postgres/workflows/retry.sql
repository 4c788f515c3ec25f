-- Lets a failed run whose row is locked continue, unless it has been retried since the caller looked at it: see forget_steps.sql for its steps.
-- There is a new driver. Why a run compensates is kept.
WITH run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN r.ends_as IS NULL THEN 'pending' ELSE 'compensating' END,
      error = CASE WHEN r.ends_as IS NOT NULL THEN r.error END, failed_steps = NULL, finished_at = NULL,
      cancel_requested = false, changed_at = {schema}.muster_clock()
  WHERE r.id = ? AND r.status = 'failed' AND r.finished_at = ?
  RETURNING r.*)
INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes, trace)
SELECT run.id, 'workflow:' || run.workflow_name || ':' || run.workflow_version || ':' || left(run.signature, 8), run.queue, run.capability,
       run.priority, run.priority + 1, {schema}.muster_clock(), 'null', run.max_crashes, run.trace
FROM run
RETURNING queue, capability
