SELECT l.role, l.node_id, l.incarnation, l.term, l.timeline, l.strategy,
       l.node_id IS NOT NULL AND l.expires_at > {schema}.muster_clock()
         AND l.timeline = (SELECT s.timeline FROM {schema}.muster_server s) AS live,
       EXISTS (SELECT FROM renewed r WHERE r.role = l.role) AS mine,
       false AS locked
FROM {schema}.muster_leaders l
