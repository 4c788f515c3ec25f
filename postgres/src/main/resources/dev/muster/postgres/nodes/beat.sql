UPDATE {schema}.muster_nodes
  SET last_heartbeat = {schema}.muster_clock(), heartbeat_interval = ? * interval '1 millisecond',
      current_connections = ?, current_jobs = ?, cpu_usage = ?, memory_usage = ?,
      status = CASE status WHEN 'stale' THEN 'active' ELSE status END
  WHERE id = ? AND incarnation = ? AND status <> 'dead'
  RETURNING status
