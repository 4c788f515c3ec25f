-- The locks that somebody has, for people. Reads the whole table.
SELECT lock_name, owner_node, locked_at, expires_at, token FROM {schema}.muster_locks
WHERE expires_at > {schema}.muster_clock() ORDER BY lock_name
