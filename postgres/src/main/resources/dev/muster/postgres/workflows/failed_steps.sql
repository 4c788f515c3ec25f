-- The steps of a failed run, and which of them have ended it.
SELECT r.finished_at, coalesce(r.failed_steps, '{}') AS failed_steps,
       ARRAY(SELECT s.path FROM {schema}.muster_workflow_steps s WHERE s.run_id = r.id AND s.steps_from = r.steps_from) AS paths
FROM {schema}.muster_workflow_runs r WHERE r.id = ? AND r.status = 'failed'
