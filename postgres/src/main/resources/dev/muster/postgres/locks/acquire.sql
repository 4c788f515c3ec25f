-- Acquires a lock that is free or has expired. The token of a take-over is drawn while the row is locked, and a row is never deleted
-- while a transaction may be waiting for it, so that later holders have higher tokens.
INSERT INTO {schema}.muster_locks AS l (lock_name, owner_node, locked_at, expires_at, token)
SELECT ?, ?, t.now, t.now + ? * interval '1 millisecond', nextval('{schema}.muster_fence_seq')
FROM (SELECT {schema}.muster_clock() AS now) t
ON CONFLICT (lock_name) DO UPDATE SET
  owner_node = excluded.owner_node, locked_at = {schema}.muster_clock(),
  expires_at = {schema}.muster_clock() + (excluded.expires_at - excluded.locked_at),
  token = nextval('{schema}.muster_fence_seq')
WHERE l.expires_at <= {schema}.muster_clock()
RETURNING token, (SELECT s.timeline FROM {schema}.muster_server s) AS timeline
