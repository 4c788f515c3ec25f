-- How many tasks of a graph there are in each status. Along the primary keys; their inputs and results are not read.
SELECT CASE WHEN t.status <> 'enqueued' THEN t.status WHEN j.token IS NOT NULL THEN 'running' ELSE 'pending' END AS status, count(*) AS tasks
FROM {schema}.muster_graph_tasks t
LEFT JOIN {schema}.muster_jobs j ON t.status = 'enqueued' AND j.id = t.job_id
WHERE t.graph_id = ?
GROUP BY 1
