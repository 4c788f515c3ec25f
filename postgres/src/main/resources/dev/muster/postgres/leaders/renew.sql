-- The part of check.sql and leader_poll.sql that writes: extends the leases of the roles that this node holds. By the primary key.
UPDATE {schema}.muster_leaders l SET expires_at = {schema}.muster_clock() + ? * interval '1 millisecond',
    session_pid = pg_backend_pid(), session_started = (SELECT a.backend_start FROM pg_stat_get_activity(pg_backend_pid()) a)
  WHERE l.role = ANY (?) AND l.node_id = ? AND l.incarnation = ? AND l.expires_at > {schema}.muster_clock()
    AND l.timeline = (SELECT s.timeline FROM {schema}.muster_server s)
  RETURNING l.role
