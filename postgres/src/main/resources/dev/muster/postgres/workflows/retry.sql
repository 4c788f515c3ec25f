-- Lets a failed run whose row is locked go on: the step that was stored last is forgotten if it failed, and there is a new driver.
WITH run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN r.ends_as IS NULL THEN 'pending' ELSE 'compensating' END, error = NULL, finished_at = NULL,
      cancel_requested = false, changed_at = {schema}.muster_clock()
  WHERE r.id = ? AND r.status = 'failed'
  RETURNING r.*),
last AS (
  SELECT s.run_id, s.path, s.steps_from FROM run JOIN {schema}.muster_workflow_steps s ON s.run_id = run.id AND s.steps_from = run.steps_from
  ORDER BY s.seq DESC LIMIT 1),
forgotten AS (
  DELETE FROM {schema}.muster_workflow_steps s USING last
  WHERE s.run_id = last.run_id AND s.path = last.path AND s.steps_from = last.steps_from AND s.status = 'failed')
INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes)
SELECT run.id, 'workflow:' || run.workflow_name || ':' || run.workflow_version || ':' || left(run.signature, 8), run.queue, run.capability,
       run.priority, run.priority + 1, {schema}.muster_clock(), 'null', run.max_crashes
FROM run
RETURNING queue, capability
