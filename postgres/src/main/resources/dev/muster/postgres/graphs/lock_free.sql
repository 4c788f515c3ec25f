-- Locks those of these graphs that no other transaction has locked.
SELECT g.id FROM {schema}.muster_graphs g WHERE g.id = ANY (?::uuid[]) ORDER BY g.id FOR NO KEY UPDATE SKIP LOCKED
