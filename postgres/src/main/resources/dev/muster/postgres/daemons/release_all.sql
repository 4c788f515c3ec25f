-- Frees the daemons of a node that is gone. Reads the whole table, which has a row per daemon and node.
UPDATE {schema}.muster_daemons SET
  status = 'free', node_id = NULL, incarnation = NULL, token = NULL, lease_until = NULL, free_since = {schema}.muster_clock()
WHERE node_id = ? AND incarnation = ?
