-- All tasks of a graph that have not ended.
SELECT t.number FROM {schema}.muster_graph_tasks t WHERE t.graph_id = ? AND t.status IN ('waiting', 'enqueued')
