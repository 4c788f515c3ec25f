-- The graph that has an id or a key. By the primary key, or along index muster_graphs_key.
SELECT g.id, g.key, g.key_kid, encode(g.key_hash, 'hex') FROM {schema}.muster_graphs g WHERE g.id = ?
UNION ALL
SELECT g.id, g.key, g.key_kid, encode(g.key_hash, 'hex') FROM {schema}.muster_graphs g WHERE g.key = ? AND g.key IS NOT NULL
LIMIT 1
