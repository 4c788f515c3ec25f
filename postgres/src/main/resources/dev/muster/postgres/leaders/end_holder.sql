-- Ends the sessions that hold the lock of a role whose lease has run out: a leader that is frozen or out of reach. The
-- pids come from exactly this key in exactly this database, in the statement that uses them. Then takes the lock.
WITH ended AS MATERIALIZED (
  SELECT pg_terminate_backend(k.pid, 100) AS ok
  FROM {schema}.muster_leaders l
  JOIN pg_locks k ON k.locktype = 'advisory' AND k.classid = ?::int::oid
    AND k.objid = '{schema}.muster_leaders'::regclass::oid AND k.objsubid = 2 AND k.granted
    AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND k.pid <> pg_backend_pid()
  WHERE l.role = ? AND l.node_id IS NOT NULL AND l.expires_at <= {schema}.muster_clock())
SELECT count(*) FILTER (WHERE ok) AS ended FROM ended
