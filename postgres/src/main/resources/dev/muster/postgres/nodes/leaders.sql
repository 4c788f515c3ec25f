-- Who leads, for people. One row per role.
SELECT role, node_id, term, timeline, since, expires_at, expires_at <= {schema}.muster_clock() AS expired
FROM {schema}.muster_leaders ORDER BY role
