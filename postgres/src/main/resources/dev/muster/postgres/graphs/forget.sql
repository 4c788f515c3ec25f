-- Deletes some graphs that ended longer ago than the retention, with their tasks and edges. Along index muster_graphs_ended.
WITH old AS MATERIALIZED (
  SELECT g.id FROM {schema}.muster_graphs g
  WHERE g.finished_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  ORDER BY g.finished_at LIMIT 20 FOR UPDATE SKIP LOCKED),
edges AS (
  DELETE FROM {schema}.muster_graph_edges e USING old WHERE e.graph_id = ANY (ARRAY[old.id])),
tasks AS (
  DELETE FROM {schema}.muster_graph_tasks t USING old WHERE t.graph_id = ANY (ARRAY[old.id]))
DELETE FROM {schema}.muster_graphs g USING old WHERE g.id = ANY (ARRAY[old.id])
