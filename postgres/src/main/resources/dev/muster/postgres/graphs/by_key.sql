-- The graph that has a key. Along index muster_graphs_key.
SELECT g.id FROM {schema}.muster_graphs g WHERE g.key = ? AND g.key IS NOT NULL
