-- The database's clock is the only one that counts. Tests replace these two functions to move time. They are in a numbered file because
-- tables use them in defaults.
-- No file names a schema: the program that runs it sets search_path to Muster's schema.

CREATE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
  AS 'SELECT pg_catalog.clock_timestamp()';
COMMENT ON FUNCTION muster_clock() IS 'Now, moving within a transaction; for leases and due times.';

CREATE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  AS 'SELECT pg_catalog.statement_timestamp()';
COMMENT ON FUNCTION muster_statement_clock() IS 'Now, fixed within a statement, so that an index can be searched for it.';
