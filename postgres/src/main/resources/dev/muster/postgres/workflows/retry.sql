-- Lets a failed run whose row is locked go on, unless it has been retried since the caller looked at it: these steps are forgotten, and with
-- them that their waits have taken events. What these children have told is forgotten, too, and what a child has told that somebody has
-- retried alone and that lives: it tells its end again. A child's end locks this run's row. There is a new driver. Why a run compensates is
-- kept.
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
telling AS MATERIALIZED (
  SELECT unnest(?::text[]) AS name
  UNION SELECT 'muster:child:' || c.parent_path
  FROM run JOIN {schema}.muster_workflow_runs c ON c.parent_run = run.id
  WHERE c.finished_at IS NULL AND c.parent_path IN (SELECT path FROM forgotten)),
again AS (
  UPDATE {schema}.muster_workflow_events e SET taken_by = NULL
  FROM run WHERE e.run_id = run.id AND e.taken_by IN (SELECT path FROM forgotten) AND e.name NOT IN (SELECT name FROM telling)),
untold AS (
  DELETE FROM {schema}.muster_workflow_events e USING run WHERE e.run_id = run.id AND e.name IN (SELECT name FROM telling))
INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes, trace)
SELECT run.id, 'workflow:' || run.workflow_name || ':' || run.workflow_version || ':' || left(run.signature, 8), run.queue, run.capability,
       run.priority, run.priority + 1, {schema}.muster_clock(), 'null', run.max_crashes, run.trace
FROM run
RETURNING queue, capability
