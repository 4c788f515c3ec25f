-- Renews what this node holds and tells how each role stands. Renewal changes only expires_at, which the FOR KEY SHARE of
-- a fenced transaction does not block. Fails on a standby before it takes any lock.
WITH renewed AS (
  UPDATE {schema}.muster_leaders l SET expires_at = {schema}.muster_clock() + ? * interval '1 millisecond'
  WHERE l.role = ANY (?) AND l.node_id = ? AND l.incarnation = ? AND l.expires_at > {schema}.muster_clock()
  RETURNING l.role)
SELECT l.role, l.node_id, l.incarnation, l.term, l.timeline, l.strategy,
       l.node_id IS NOT NULL AND l.expires_at > {schema}.muster_clock() AS live,
       EXISTS (SELECT FROM renewed r WHERE r.role = l.role) AS mine,
       false AS locked
FROM {schema}.muster_leaders l
