-- What the tasks of a graph depend on, by child. Along index muster_graph_edges_child.
SELECT e.child, p.task_id, e.required
FROM {schema}.muster_graph_edges e
JOIN {schema}.muster_graph_tasks p ON p.graph_id = e.graph_id AND p.number = e.parent
WHERE e.graph_id = ?
ORDER BY e.child, e.parent
