-- The columns of queries that show runs. A run whose driver a node holds is running, whatever its row says.
r.id, r.workflow_name, r.workflow_version,
CASE WHEN r.finished_at IS NULL AND j.token IS NOT NULL AND r.status <> 'compensating' THEN 'running' ELSE r.status END AS status,
r.resolution_reason, r.input, r.result, r.error, r.key, r.parent_run, r.continued_as, r.awaiting, r.wake_at, r.cancel_requested, j.node_id,
r.created_at, r.changed_at, r.finished_at
FROM {schema}.muster_workflow_runs r LEFT JOIN {schema}.muster_jobs j ON j.id = r.id AND r.finished_at IS NULL
