-- The part of check.sql and leader_poll.sql that answers: how each role stands. One row per role; nodes by their primary key.
SELECT l.role, l.node_id, l.incarnation, l.term, l.timeline, l.strategy,
       l.node_id IS NOT NULL AND l.expires_at > {schema}.muster_clock()
         AND l.timeline = (SELECT s.timeline FROM {schema}.muster_server s) AS live,
       (date_part('epoch', l.expires_at - {schema}.muster_clock()) * 1000)::bigint AS left_ms,
       (SELECT (date_part('epoch', {schema}.muster_clock() - n.last_heartbeat) * 1000)::bigint
        FROM {schema}.muster_nodes n WHERE n.id = l.node_id AND n.incarnation = l.incarnation) AS silent_ms,
       EXISTS (SELECT FROM renewed r WHERE r.role = l.role) AS mine,
       false AS locked
FROM {schema}.muster_leaders l
