-- One task of a graph with the state of its job, and its whole inputs and result. Along the primary keys.
SELECT t.number, t.task_id, t.name, t.job_id, t.trigger, t.queue, t.capability, t.priority, t.max_attempts, t.timeout_ms,
       {schema}.muster_text(t.inputs) AS inputs, {schema}.muster_text(t.result) AS result, coalesce(t.error, j.error) AS error, t.reason,
       CASE WHEN t.status <> 'enqueued' THEN t.status WHEN j.token IS NOT NULL THEN 'running' ELSE 'pending' END AS status,
       coalesce(j.attempt, t.attempt) AS attempt, coalesce(j.node_id, t.node_id) AS node_id,
       coalesce(j.started_at, t.started_at) AS started_at, t.finished_at
FROM {schema}.muster_graph_tasks t
LEFT JOIN {schema}.muster_jobs j ON t.status = 'enqueued' AND j.id = t.job_id
WHERE t.graph_id = ? AND t.task_id = ?
