-- Ends those of these tasks that wait. The graph's row is locked by this transaction.
UPDATE {schema}.muster_graph_tasks t
SET status = 'cancelled', reason = ?, finished_at = {schema}.muster_clock()
FROM unnest(?::int[]) AS n (number)
WHERE t.graph_id = ? AND t.number = n.number AND t.status = 'waiting'
RETURNING t.number
