-- The part of heartbeat.sql and leader_poll.sql that answers: what the node's row says, and a number for all members. By the primary key,
-- and over all nodes.
SELECT (SELECT status FROM beat) AS status,
       (SELECT n.incarnation FROM {schema}.muster_nodes n WHERE n.id = ?) AS holder,
       (SELECT sum(hashtextextended(n.id || n.incarnation || CASE n.status WHEN 'stale' THEN 'active' ELSE n.status END, 0))
        FROM {schema}.muster_nodes n)::text AS members
