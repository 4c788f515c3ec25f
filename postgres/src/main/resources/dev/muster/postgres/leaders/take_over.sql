-- Wins a role. FOR UPDATE waits for nobody: the row of a fenced transaction that is still open is passed by, and the
-- candidate comes back. With the lock in hand the leader's session is known to have ended; without it the lease must
-- have run out, and where locks are used one lease ago, so that whoever has the lock goes first.
WITH vacant AS MATERIALIZED (
  SELECT l.role FROM {schema}.muster_leaders l
  CROSS JOIN (SELECT ?::boolean AS advisory, ?::boolean AS locked, ? * interval '1 millisecond' AS lease) c
  WHERE l.role = ? AND NOT pg_is_in_recovery()
    AND CASE
          WHEN c.locked THEN l.node_id IS NULL OR l.strategy = 'advisory' OR l.expires_at <= {schema}.muster_clock()
          WHEN c.advisory THEN l.expires_at + c.lease <= {schema}.muster_clock()
          ELSE l.node_id IS NULL OR l.expires_at <= {schema}.muster_clock()
        END
  FOR UPDATE OF l SKIP LOCKED)
UPDATE {schema}.muster_leaders l
SET node_id = ?, incarnation = ?, term = l.term + 1, timeline = {timeline}, strategy = ?,
    since = {schema}.muster_clock(), expires_at = {schema}.muster_clock() + ? * interval '1 millisecond'
FROM vacant WHERE l.role = vacant.role
RETURNING l.term, l.timeline
