-- The tasks of a graph with the state of their jobs. Along the primary keys. Inputs and results behind the first 16 MB of them, as they are
-- stored, are left out.
SELECT t.number, t.task_id, t.name, t.job_id, t.trigger, t.queue, t.capability, t.priority, t.max_attempts, t.timeout_ms,
       CASE WHEN t.size <= 16777216 THEN {schema}.muster_text(t.inputs) ELSE ? END AS inputs,
       CASE WHEN t.size <= 16777216 OR t.result IS NULL THEN {schema}.muster_text(t.result) ELSE ? END AS result, coalesce(t.error, j.error) AS error, t.reason,
       CASE WHEN t.status <> 'enqueued' THEN t.status WHEN j.token IS NOT NULL THEN 'running' ELSE 'pending' END AS status,
       coalesce(j.attempt, t.attempt) AS attempt, coalesce(j.node_id, t.node_id) AS node_id,
       coalesce(j.started_at, t.started_at) AS started_at, t.finished_at
FROM (SELECT t.*, sum(pg_column_size(t.inputs) + coalesce(pg_column_size(t.result), 0)) OVER (ORDER BY t.number) AS size
      FROM {schema}.muster_graph_tasks t WHERE t.graph_id = ?) t
LEFT JOIN {schema}.muster_jobs j ON t.status = 'enqueued' AND j.id = t.job_id
ORDER BY t.number
