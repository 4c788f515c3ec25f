-- Marks a daemon that ended too often as failed: no node holds it until it is reset.
UPDATE {schema}.muster_daemons SET
  status = 'failed', restarts = ?, last_error = ?, failed_at = {schema}.muster_clock(), node_id = NULL, incarnation = NULL,
  token = NULL, lease_until = NULL, free_since = NULL
WHERE name = ? AND slot = ? AND token = ?
