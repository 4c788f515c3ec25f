-- Counts the parents of all waiting tasks of a graph afresh, after tasks were put back to waiting.
UPDATE {schema}.muster_graph_tasks c
SET parents_open = n.parents_open, required_open = n.required_open, required_completed = n.completed, required_failed = n.failed,
    required_cancelled = n.cancelled, required_skipped = n.skipped
FROM (
  SELECT e.child, count(*) FILTER (WHERE p.open) AS parents_open, count(*) FILTER (WHERE e.required AND p.open) AS required_open,
         count(*) FILTER (WHERE e.required AND p.status = 'completed') AS completed,
         count(*) FILTER (WHERE e.required AND p.status = 'failed') AS failed,
         count(*) FILTER (WHERE e.required AND p.status = 'cancelled') AS cancelled,
         count(*) FILTER (WHERE e.required AND p.status = 'skipped') AS skipped
  FROM {schema}.muster_graph_edges e
  CROSS JOIN LATERAL (
    SELECT t.status, t.status IN ('waiting', 'enqueued') AS open FROM {schema}.muster_graph_tasks t
    WHERE t.graph_id = e.graph_id AND t.number = e.parent) p
  WHERE e.graph_id = ?
  GROUP BY e.child) n
WHERE c.graph_id = ? AND c.number = n.child
