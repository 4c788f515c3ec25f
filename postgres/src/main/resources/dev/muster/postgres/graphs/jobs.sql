-- The jobs of those of these tasks that have one.
SELECT t.job_id FROM {schema}.muster_graph_tasks t
JOIN unnest(?::int[]) AS n (number) ON t.number = n.number
WHERE t.graph_id = ? AND t.status = 'enqueued'
