-- Changes the status of a node, if it is still one of these. By the primary key.
UPDATE {schema}.muster_nodes SET status = ? WHERE id = ? AND incarnation = ? AND status = ANY (?)
