-- Removes an entry that has no outcome. By the primary key.
DELETE FROM {schema}.muster_audit WHERE id = ? AND outcome IS NULL
