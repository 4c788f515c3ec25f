-- Ends the session of a leader whose lease has run out while it still holds the role's advisory lock: the leader is frozen or
-- unreachable. A candidate that has got the lock and waits for the row is not that leader. The statement that ends the session looks
-- for the lock by exactly this key in exactly this database, and for the leader's process by its number and start time.
WITH ended AS MATERIALIZED (
  SELECT pg_terminate_backend(k.pid, 100) AS ok
  FROM {schema}.muster_leaders l
  JOIN pg_locks k ON k.locktype = 'advisory' AND k.classid = ?::int::oid
    AND k.objid = '{schema}.muster_leaders'::regclass::oid AND k.objsubid = 2 AND k.granted
    AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND k.pid = l.session_pid AND k.pid <> pg_backend_pid()
  JOIN pg_stat_get_activity(l.session_pid) a ON coalesce(a.backend_start = l.session_started, true)
  WHERE l.role = ? AND l.node_id IS NOT NULL AND l.expires_at <= {schema}.muster_clock())
SELECT count(*) FILTER (WHERE ok) AS ended FROM ended
