-- Adds a graph, unless its key is taken; waits for a transaction that is about to take it. Along index muster_graphs_key.
INSERT INTO {schema}.muster_graphs (id, name, key, status, tasks, open_tasks, created_at)
VALUES (?, ?, ?, 'running', ?, ?, {schema}.muster_clock())
ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
RETURNING id
