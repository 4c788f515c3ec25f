-- Gives up roles. A fenced transaction that is still open may commit: a take-over waits for it.
UPDATE {schema}.muster_leaders l
SET node_id = NULL, incarnation = NULL, since = {schema}.muster_clock(), expires_at = {schema}.muster_clock()
WHERE l.role = ANY (?) AND l.node_id = ? AND l.incarnation = ?
