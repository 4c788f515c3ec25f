-- Says which daemons a node can run. By the node's primary key.
UPDATE {schema}.muster_nodes SET daemons = ? WHERE id = ? AND incarnation = ?
