-- The part of heartbeat.sql and leader_poll.sql that writes. By the primary key; no indexed column changes.
UPDATE {schema}.muster_nodes
  SET last_heartbeat = {schema}.muster_clock(), heartbeat_interval = ? * interval '1 millisecond',
      current_connections = ?, current_jobs = ?, cpu_usage = ?, memory_usage = ?, executors = ?::jsonb,
      status = CASE status WHEN 'stale' THEN 'active' ELSE status END,
      in_touch_since = {schema}.muster_known_since(
        CASE WHEN ? AND {schema}.muster_clock() - last_heartbeat
                    BETWEEN ? * interval '1 millisecond' AND ? * interval '1 millisecond'
             THEN coalesce(in_touch_since, {schema}.muster_clock()) ELSE {schema}.muster_clock() END),
      claims_before = coalesce(pg_sequence_last_value('{schema}.muster_job_token_seq'), 0)
  WHERE id = ? AND incarnation = ? AND status <> 'dead'
  RETURNING status
