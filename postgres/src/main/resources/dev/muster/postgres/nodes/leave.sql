-- Removes the row of a node that leaves. By the primary key.
DELETE FROM {schema}.muster_nodes WHERE id = ? AND incarnation = ? RETURNING last_heartbeat
