-- Writes what became of an action. By the primary key.
UPDATE {schema}.muster_audit SET outcome = ? WHERE id = ? AND outcome IS NULL
