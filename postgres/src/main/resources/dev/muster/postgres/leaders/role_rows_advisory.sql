-- As role_rows.sql, and tries the advisory locks of the roles that are named.
SELECT l.role, l.node_id, l.incarnation, l.term, l.timeline, l.strategy,
       l.node_id IS NOT NULL AND l.expires_at > {schema}.muster_clock()
         AND l.timeline = (SELECT s.timeline FROM {schema}.muster_server s) AS live,
       (date_part('epoch', l.expires_at - {schema}.muster_clock()) * 1000)::bigint AS left_ms,
       (SELECT (date_part('epoch', {schema}.muster_clock() - n.last_heartbeat) * 1000)::bigint
        FROM {schema}.muster_nodes n WHERE n.id = l.node_id AND n.incarnation = l.incarnation) AS silent_ms,
       EXISTS (SELECT FROM renewed r WHERE r.role = l.role) AS mine,
       t.number IS NOT NULL AND pg_try_advisory_lock(t.number, '{schema}.muster_leaders'::regclass::oid::bigint::bit(32)::int) AS locked
FROM {schema}.muster_leaders l LEFT JOIN unnest(?::text[], ?::int[]) AS t (role, number) ON t.role = l.role
