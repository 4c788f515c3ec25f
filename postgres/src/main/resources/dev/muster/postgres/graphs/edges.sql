-- What the tasks of a graph depend on, by child. Along index muster_graph_edges_child. The parent
-- of each is looked up by itself: a join was planned for the few tasks that there were before those of a large graph, and compared each with each.
SELECT e.child, (SELECT p.task_id FROM {schema}.muster_graph_tasks p WHERE p.graph_id = e.graph_id AND p.number = e.parent), e.required
FROM {schema}.muster_graph_edges e
WHERE e.graph_id = ?
ORDER BY e.child, e.parent
