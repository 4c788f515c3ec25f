-- Removes the oldest entries. Along index muster_audit_at.
DELETE FROM {schema}.muster_audit WHERE id = ANY (ARRAY (
  SELECT a.id FROM {schema}.muster_audit a
  WHERE a.at < {schema}.muster_statement_clock() - ? * interval '1 millisecond' ORDER BY a.at LIMIT {limit}))
