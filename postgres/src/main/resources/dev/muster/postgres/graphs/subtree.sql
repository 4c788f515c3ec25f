-- A task and all tasks below it.
WITH RECURSIVE below AS (
  SELECT ?::int AS number
  UNION
  SELECT e.child FROM below JOIN {schema}.muster_graph_edges e ON e.graph_id = ? AND e.parent = below.number)
SELECT below.number FROM below
