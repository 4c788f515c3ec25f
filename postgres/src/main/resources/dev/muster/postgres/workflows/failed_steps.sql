-- The steps of a failed run, and which of them have ended it; its parent, if that has ended otherwise than completed.
SELECT r.finished_at, coalesce(r.failed_steps, '{}') AS failed_steps,
       ARRAY(SELECT s.path FROM {schema}.muster_workflow_steps s WHERE s.run_id = r.id AND s.steps_from = r.steps_from) AS paths,
       p.id AS parent, p.status AS parent_status
FROM {schema}.muster_workflow_runs r
LEFT JOIN {schema}.muster_workflow_runs p ON p.id = r.parent_run AND p.finished_at IS NOT NULL AND p.status <> 'completed'
WHERE r.id = ? AND r.status = 'failed'
