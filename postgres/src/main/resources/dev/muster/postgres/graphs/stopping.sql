-- A task of a graph that was cancelled and whose job has not ended.
SELECT t.task_id FROM {schema}.muster_graph_tasks t
WHERE t.graph_id = ? AND t.status = 'enqueued' AND t.cancel_reason IS NOT NULL
ORDER BY t.number LIMIT 1
