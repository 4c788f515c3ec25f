-- Nodes that are judged by their own interval, drained by an UPDATE, and heard of at once.

ALTER TABLE muster_nodes
  ADD COLUMN address text,
  ADD COLUMN lease interval;
COMMENT ON COLUMN muster_nodes.address IS 'At which other nodes reach it; null: not told.';
COMMENT ON COLUMN muster_nodes.lease IS 'How long its claims hold: a claim or renewal made t ago says that the node lived t ago. Null: not told.';
COMMENT ON COLUMN muster_nodes.heartbeat_interval IS 'The longest time until its next heartbeat, written before the node keeps it. It is stale after twice, dead after three times this, or after the thresholds of whoever judges it if those are longer.';
COMMENT ON COLUMN muster_nodes.status IS 'joining, active, draining; stale or dead in the eyes of the others. Set it to draining to let the node finish and leave.';
COMMENT ON COLUMN muster_nodes.roles IS 'gateway, function, worker, scheduler.';
COMMENT ON COLUMN muster_nodes.current_jobs IS 'Jobs whose handler ran at the last heartbeat.';
COMMENT ON COLUMN muster_nodes.current_connections IS 'Connections that the node had in use at the last heartbeat.';

-- Tells the nodes that one has come, gone, or changed its status. A heartbeat changes neither and tells nothing.
CREATE FUNCTION muster_nodes_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.pg_notify('muster_' || TG_TABLE_SCHEMA, 'nodes');
  RETURN NULL;
END $$;
COMMENT ON FUNCTION muster_nodes_changed() IS 'Wakes the nodes, so that each looks at its row.';
CREATE TRIGGER muster_nodes_came_or_went AFTER INSERT OR DELETE ON muster_nodes
  FOR EACH STATEMENT EXECUTE FUNCTION muster_nodes_changed();
CREATE TRIGGER muster_nodes_changed AFTER UPDATE OF status, incarnation ON muster_nodes
  FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.incarnation <> NEW.incarnation)
  EXECUTE FUNCTION muster_nodes_changed();

-- The judgement on every node. Only a node that is overdue by its heartbeats has its claims looked at: along
-- muster_jobs_lease, from the first lease that would speak for it. Settings as in jobs/preamble.sql.
CREATE FUNCTION muster_verdicts(stale interval, dead interval)
  RETURNS TABLE (id text, incarnation uuid, status text, last_heartbeat timestamptz, seen timestamptz, verdict text, due timestamptz)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  SELECT n.id, n.incarnation, n.status, n.last_heartbeat, s.seen,
         CASE WHEN n.status = 'dead' OR muster_statement_clock() - s.seen >= p.dead_after THEN 'dead'
              WHEN n.status NOT IN ('active', 'stale') THEN n.status
              WHEN muster_statement_clock() - s.seen >= p.stale_after THEN 'stale'
              ELSE 'active' END,
         CASE WHEN n.status = 'dead' THEN NULL
              WHEN n.status = 'active' AND muster_statement_clock() - s.seen < p.stale_after THEN s.seen + p.stale_after
              ELSE s.seen + p.dead_after END
  FROM muster_nodes n
  CROSS JOIN LATERAL (
    SELECT greatest(stale, 2 * n.heartbeat_interval) AS stale_after,
           greatest(dead, 3 * n.heartbeat_interval) AS dead_after) p
  CROSS JOIN LATERAL (
    SELECT CASE
      WHEN n.status = 'dead' OR n.lease IS NULL OR muster_statement_clock() - n.last_heartbeat < p.stale_after
        THEN n.last_heartbeat
      ELSE greatest(n.last_heartbeat, (
        SELECT j.lease_until FROM muster_jobs j
        WHERE j.lease_until IS NOT NULL AND j.lease_until > n.last_heartbeat + n.lease AND j.node_id = n.id
        ORDER BY j.lease_until DESC LIMIT 1) - n.lease) END AS seen) s
$$;
COMMENT ON FUNCTION muster_verdicts(interval, interval) IS 'Each node with when it was last seen alive, what it is by its own interval, and when it will be overdue if it stays silent.';

CREATE FUNCTION muster_due(judge text, stale interval, dead interval, reach interval)
  RETURNS TABLE (nodes boolean, next_ms bigint, leases boolean, expired boolean, waiting boolean)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  SELECT coalesce(bool_or(v.verdict <> v.status
                    OR v.status = 'dead' AND v.last_heartbeat < muster_statement_clock() - interval '1 hour'), false),
         (date_part('epoch', min(v.due) - muster_statement_clock()) * 1000)::bigint,
         (SELECT EXISTS (SELECT FROM muster_jobs j WHERE j.lease_until IS NOT NULL
            AND j.lease_until < muster_statement_clock() AND j.lease_until >= muster_statement_clock() - reach)),
         (SELECT EXISTS (SELECT FROM muster_jobs j WHERE j.expires_at IS NOT NULL AND j.token IS NULL
            AND j.expires_at <= muster_statement_clock())),
         (SELECT EXISTS (SELECT FROM muster_job_dependencies) OR EXISTS (SELECT FROM muster_jobs j WHERE j.status = 'waiting'))
  FROM muster_verdicts(stale, dead) v
  WHERE v.id <> judge
$$;
COMMENT ON FUNCTION muster_due(text, interval, interval, interval) IS 'What there is to do for whoever keeps the cluster in order: one statement instead of a transaction for each duty.';

CREATE VIEW muster_cluster AS
SELECT n.id, n.name, v.verdict AS status, muster_clock() - v.seen AS silent_for, n.heartbeat_interval,
       n.roles, n.queues, n.capabilities, n.address, coalesce(h.jobs, 0) AS jobs_held, n.current_jobs AS jobs_running,
       n.cpu_usage, n.memory_usage, n.current_connections,
       ARRAY (SELECT l.role FROM muster_leaders l
              WHERE l.node_id = n.id AND l.incarnation = n.incarnation AND l.expires_at > muster_clock() ORDER BY 1) AS leads,
       n.started_at
FROM muster_nodes n
JOIN muster_verdicts(interval '10 seconds', interval '15 seconds') v ON v.id = n.id
LEFT JOIN (SELECT j.node_id, count(*) AS jobs FROM muster_jobs j WHERE j.lease_until IS NOT NULL GROUP BY 1) h ON h.node_id = n.id
ORDER BY n.id;
COMMENT ON VIEW muster_cluster IS 'The nodes: status by each one''s own interval and the default thresholds, jobs held, and what it leads.';
