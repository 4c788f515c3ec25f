-- As check.sql, and tries the locks that this session does not hold yet: one that it gets belonged to nobody, so the
-- session of the role's leader has ended, whatever the row says.
WITH renewed AS (
  UPDATE {schema}.muster_leaders l SET expires_at = {schema}.muster_clock() + ? * interval '1 millisecond'
  WHERE l.role = ANY (?) AND l.node_id = ? AND l.incarnation = ? AND l.expires_at > {schema}.muster_clock()
  RETURNING l.role)
SELECT l.role, l.node_id, l.incarnation, l.term, l.timeline, l.strategy,
       l.node_id IS NOT NULL AND l.expires_at > {schema}.muster_clock() AS live,
       EXISTS (SELECT FROM renewed r WHERE r.role = l.role) AS mine,
       t.number IS NOT NULL AND pg_try_advisory_lock(t.number, '{schema}.muster_leaders'::regclass::oid::bigint::bit(32)::int) AS locked
FROM {schema}.muster_leaders l LEFT JOIN unnest(?::text[], ?::int[]) AS t (role, number) ON t.role = l.role
