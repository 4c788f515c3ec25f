-- Asks a node to drain, on behalf of people. By the primary key.
UPDATE {schema}.muster_nodes SET status = 'draining' WHERE id = ? AND status <> 'dead'
