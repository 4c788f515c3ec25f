-- What has become of the children of a run. Of runs that continue one another the last counts. Along index muster_workflow_runs_children.
SELECT c.parent_path, c.id, c.status, c.finished_at IS NOT NULL AS ended
FROM {schema}.muster_workflow_runs c WHERE c.parent_run = ? AND c.continued_as IS NULL
