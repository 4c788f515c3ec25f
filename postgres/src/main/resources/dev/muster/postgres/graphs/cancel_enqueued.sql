-- Notes that those of these tasks that have a job are cancelled, and returns their jobs. The graph's row is locked by this transaction.
UPDATE {schema}.muster_graph_tasks t SET cancel_reason = ?
FROM unnest(?::int[]) AS n (number)
WHERE t.graph_id = ? AND t.number = n.number AND t.status = 'enqueued'
RETURNING t.job_id
