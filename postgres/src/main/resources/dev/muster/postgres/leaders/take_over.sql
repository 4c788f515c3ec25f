-- Wins a role. FOR UPDATE does not wait: a row that an open fenced transaction has locked is skipped, and the candidate tries again.
-- If this session holds the advisory lock, the leader's session has ended. Otherwise the lease must have run out; where advisory
-- locks are used, it must have run out one lease ago, so that the holder of the lock goes first. A term that was won on another
-- server is over, and so is its leader's session.
WITH vacant AS MATERIALIZED (
  SELECT l.role, c.timeline FROM {schema}.muster_leaders l
  CROSS JOIN (SELECT ?::boolean AS advisory, ?::boolean AS locked, ? * interval '1 millisecond' AS lease,
                     (SELECT s.timeline FROM {schema}.muster_server s) AS timeline) c
  WHERE l.role = ? AND NOT pg_is_in_recovery()
    AND CASE
          WHEN c.locked THEN l.node_id IS NULL OR l.strategy = 'advisory' OR l.expires_at <= {schema}.muster_clock()
                               OR l.timeline <> c.timeline
          WHEN c.advisory THEN l.expires_at + c.lease <= {schema}.muster_clock()
          ELSE l.node_id IS NULL OR l.expires_at <= {schema}.muster_clock() OR l.timeline <> c.timeline
        END
  FOR UPDATE OF l SKIP LOCKED)
UPDATE {schema}.muster_leaders l
SET node_id = ?, incarnation = ?, term = l.term + 1, timeline = vacant.timeline, strategy = ?,
    since = {schema}.muster_clock(), expires_at = {schema}.muster_clock() + ? * interval '1 millisecond',
    session_pid = pg_backend_pid(), session_started = (SELECT a.backend_start FROM pg_stat_get_activity(pg_backend_pid()) a)
FROM vacant WHERE l.role = vacant.role
RETURNING l.term, l.timeline
