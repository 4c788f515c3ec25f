-- The tasks that a retry lets wait again: those that failed or were cancelled (only the given one, if there is one), and below them those
-- that were skipped or cancelled. The graph's row is locked by this transaction.
WITH RECURSIVE again AS (
  SELECT t.number FROM {schema}.muster_graph_tasks t
  WHERE t.graph_id = ? AND t.status IN ('failed', 'cancelled') AND (?::int IS NULL OR t.number = ?)
  UNION
  SELECT c.number FROM again
  JOIN {schema}.muster_graph_edges e ON e.graph_id = ? AND e.parent = again.number
  JOIN {schema}.muster_graph_tasks c ON c.graph_id = e.graph_id AND c.number = e.child
  WHERE c.status IN ('skipped', 'cancelled'))
SELECT again.number FROM again
