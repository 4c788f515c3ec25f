-- Lets a failed run whose row is locked go on, unless it has been retried since the caller looked at it: these steps are forgotten, and with
-- them that their waits have taken events. An event for which a step has failed does not fit its type: it stays used up, and the step
-- waits for another one. What a child has told is forgotten, too, but not which child it was: see hold_parent.sql. There is a new driver. Why
-- a run compensates is kept.
WITH run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN r.ends_as IS NULL THEN 'pending' ELSE 'compensating' END,
      error = CASE WHEN r.ends_as IS NOT NULL THEN r.error END, failed_steps = NULL, finished_at = NULL,
      cancel_requested = false, changed_at = {schema}.muster_clock()
  WHERE r.id = ? AND r.status = 'failed' AND r.finished_at = ?
  RETURNING r.*),
forgotten AS (
  DELETE FROM {schema}.muster_workflow_steps s USING run
  WHERE s.run_id = run.id AND s.steps_from = run.steps_from AND s.path = ANY (?::text[])
  RETURNING s.path),
failed AS MATERIALIZED (SELECT unnest(?::text[]) AS path),
told AS (
  UPDATE {schema}.muster_workflow_events e
  SET name = e.event_id || '~', taken_by = NULL,
      payload = CASE WHEN f.path IN (SELECT path FROM failed) THEN e.payload || '{"again": true}' ELSE e.payload END
  FROM run CROSS JOIN forgotten f WHERE e.run_id = run.id AND e.event_id = 'muster:child:' || f.path),
again AS (
  UPDATE {schema}.muster_workflow_events e
  SET taken_by = CASE WHEN f.path IN (SELECT path FROM failed) THEN f.path || '~' END
  FROM run CROSS JOIN forgotten f WHERE e.run_id = run.id AND e.taken_by = f.path AND e.event_id <> 'muster:child:' || f.path)
INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes, trace)
SELECT run.id, 'workflow:' || run.workflow_name || ':' || run.workflow_version || ':' || left(run.signature, 8), run.queue, run.capability,
       run.priority, run.priority + 1, {schema}.muster_clock(), 'null', run.max_crashes, run.trace
FROM run
RETURNING queue, capability
