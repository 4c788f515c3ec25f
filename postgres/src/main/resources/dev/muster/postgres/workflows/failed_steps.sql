-- The steps of a failed run, which of them have ended it, and its children that have failed.
SELECT r.finished_at, coalesce(r.failed_steps, '{}') AS failed_steps,
       ARRAY(SELECT s.path FROM {schema}.muster_workflow_steps s WHERE s.run_id = r.id AND s.steps_from = r.steps_from) AS paths,
       ARRAY(SELECT c.id FROM {schema}.muster_workflow_runs c
             WHERE c.parent_run = r.id AND c.status = 'failed' AND c.parent_path = ANY (r.failed_steps)) AS children,
       ARRAY(SELECT c.parent_path FROM {schema}.muster_workflow_runs c
             WHERE c.parent_run = r.id AND c.status = 'failed' AND c.parent_path = ANY (r.failed_steps)) AS child_paths
FROM {schema}.muster_workflow_runs r WHERE r.id = ? AND r.status = 'failed'
