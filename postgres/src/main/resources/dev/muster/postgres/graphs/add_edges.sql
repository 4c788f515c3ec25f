-- Adds what the tasks of a graph depend on.
INSERT INTO {schema}.muster_graph_edges (graph_id, parent, child, required)
SELECT ?::uuid, n.parent, n.child, n.required
FROM unnest(?::int[], ?::int[], ?::bool[]) AS n (parent, child, required)
