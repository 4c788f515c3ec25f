-- Locks and returns the row that a joining node is about to take over, so that no node marks it meanwhile.
SELECT incarnation, status, (date_part('epoch', {schema}.muster_clock() - last_heartbeat) * 1000)::bigint AS age_ms,
       last_heartbeat
FROM {schema}.muster_nodes WHERE id = ? FOR UPDATE
