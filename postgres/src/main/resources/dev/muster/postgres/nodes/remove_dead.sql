-- Removes the rows of nodes that have been dead for a while.
DELETE FROM {schema}.muster_nodes
WHERE id = ANY (ARRAY (
  SELECT n.id FROM {schema}.muster_nodes n
  WHERE n.status = 'dead' AND n.last_heartbeat < {schema}.muster_clock() - interval '1 hour'
  FOR UPDATE SKIP LOCKED))
RETURNING id
