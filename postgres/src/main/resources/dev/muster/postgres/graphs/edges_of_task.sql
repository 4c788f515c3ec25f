-- What a task of a graph depends on. Along index muster_graph_edges_child.
SELECT e.child, p.task_id, e.required
FROM {schema}.muster_graph_edges e
JOIN {schema}.muster_graph_tasks p ON p.graph_id = e.graph_id AND p.number = e.parent
WHERE e.graph_id = ? AND e.child = ?
ORDER BY e.parent
