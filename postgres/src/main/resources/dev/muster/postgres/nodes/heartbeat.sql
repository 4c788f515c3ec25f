-- Says that a node is alive, and for how long it may be silent from now on. A dead one stays dead: it has to join again.
-- Answers with what its row says, and with a number that changes whenever a node comes, goes or changes its status.
WITH beat AS (
  UPDATE {schema}.muster_nodes
  SET last_heartbeat = {schema}.muster_clock(), heartbeat_interval = ? * interval '1 millisecond',
      current_connections = ?, current_jobs = ?, cpu_usage = ?, memory_usage = ?,
      status = CASE status WHEN 'stale' THEN 'active' ELSE status END
  WHERE id = ? AND incarnation = ? AND status <> 'dead'
  RETURNING status)
SELECT (SELECT status FROM beat) AS status,
       (SELECT n.incarnation FROM {schema}.muster_nodes n WHERE n.id = ?) AS incarnation,
       (SELECT sum(hashtextextended(n.id || n.incarnation || CASE n.status WHEN 'stale' THEN 'active' ELSE n.status END, 0))
        FROM {schema}.muster_nodes n)::text AS members
