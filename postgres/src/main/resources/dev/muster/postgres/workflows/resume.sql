-- Makes runs in a window of live runs due at once that were parked because of a pause which is over: those that wait for neither an event nor
-- a time. Without a name the runs of all workflows are meant: whoever ended a pause may have died before it had woken them all, or skipped
-- some that were locked. No index leads to them: it would cost each run that waits more than this walk, which hardly ever finds anything.
WITH {workflows/parts/window},
target AS MATERIALIZED (
  SELECT run.*
  FROM part CROSS JOIN LATERAL (
    SELECT r.id
    FROM {schema}.muster_workflow_runs r
    WHERE r.id = part.id AND r.finished_at IS NULL AND r.awaiting = '{}' AND r.wake_at IS NULL
      AND r.workflow_name = coalesce(?::text, r.workflow_name)
      AND NOT EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name OFFSET 0)
    FOR NO KEY UPDATE OF r SKIP LOCKED) run
  LIMIT 500),
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN r.ends_as IS NULL THEN 'pending' ELSE 'compensating' END, awaiting = NULL,
      resolution_reason = CASE WHEN r.cancel_requested THEN r.resolution_reason END
  FROM target WHERE r.id = ANY (ARRAY[target.id])
  RETURNING r.id, r.queue, r.capability),
driver AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending')
SELECT DISTINCT queue, capability, NULL::uuid AS last, NULL::int AS changed FROM run
UNION ALL SELECT NULL, NULL, {workflows/parts/window_end}, (SELECT count(*) FROM target)::int
