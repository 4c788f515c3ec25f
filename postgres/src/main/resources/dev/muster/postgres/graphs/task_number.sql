-- The number and status of a task. Along the primary key: it reads all tasks of the graph.
SELECT t.number, t.status FROM {schema}.muster_graph_tasks t WHERE t.graph_id = ? AND t.task_id = ?
