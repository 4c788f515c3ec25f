-- Adds a graph, unless its id or key is taken; waits for a transaction that is about to take it. Along index muster_graphs_key.
INSERT INTO {schema}.muster_graphs (id, name, key, status, tasks, open_tasks, created_at, key_kid, key_hash)
VALUES (?, ?, ?, 'running', ?, ?, {schema}.muster_clock(), ?, decode(?, 'hex'))
ON CONFLICT DO NOTHING
RETURNING id
