-- The name of a role as it is written in a GRANT.
SELECT quote_ident(rolname) FROM pg_roles WHERE rolname = ?
