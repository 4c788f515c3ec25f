-- Releases a daemon.
UPDATE {schema}.muster_daemons SET
  status = 'free', node_id = NULL, incarnation = NULL, token = NULL, lease_until = NULL,
  free_since = {schema}.muster_clock(), restarts = ?
WHERE name = ? AND slot = ? AND token = ?
