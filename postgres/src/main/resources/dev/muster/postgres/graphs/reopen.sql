-- Lets a graph run again; its row is locked by this transaction.
UPDATE {schema}.muster_graphs g
SET status = 'running', finished_at = NULL, cancel_requested = false, reason = NULL,
    open_tasks = (SELECT count(*) FROM {schema}.muster_graph_tasks t WHERE t.graph_id = g.id AND t.status IN ('waiting', 'enqueued'))
WHERE g.id = ?
