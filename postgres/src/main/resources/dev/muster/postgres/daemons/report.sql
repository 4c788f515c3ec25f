-- Records the state of a daemon on its node.
UPDATE {schema}.muster_daemons SET
  status = ?, restarts = ?, last_error = coalesce(?, last_error),
  failed_at = CASE WHEN ?::text IS NULL THEN failed_at ELSE {schema}.muster_clock() END,
  started_at = CASE WHEN ?::text IS NULL THEN {schema}.muster_clock() ELSE started_at END
WHERE name = ? AND slot = ? AND token = ?
