-- The workflows that are not paused but have runs that were parked because of a pause: whoever ended it died before it had woken them all, or
-- skipped some that were locked. From name to name along index muster_workflow_runs_paused, however many runs there are.
WITH RECURSIVE named AS (
  (SELECT r.workflow_name FROM {schema}.muster_workflow_runs r
   WHERE r.finished_at IS NULL AND r.awaiting = '{}' AND r.wake_at IS NULL ORDER BY r.workflow_name LIMIT 1)
  UNION ALL
  SELECT (SELECT r.workflow_name FROM {schema}.muster_workflow_runs r
          WHERE r.finished_at IS NULL AND r.awaiting = '{}' AND r.wake_at IS NULL AND r.workflow_name > named.workflow_name
          ORDER BY r.workflow_name LIMIT 1)
  FROM named WHERE named.workflow_name IS NOT NULL)
SELECT n.workflow_name FROM named n
WHERE n.workflow_name IS NOT NULL AND NOT EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = n.workflow_name)
