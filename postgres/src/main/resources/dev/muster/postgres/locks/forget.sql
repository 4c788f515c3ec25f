-- Removes locks that have been free for the given time, on a stretch of the table's pages. A transaction that waited for such a row
-- when it was last held has long finished, so that later holders still get higher tokens; see locks/acquire.sql.
WITH forgotten AS (
  DELETE FROM {schema}.muster_locks l
  WHERE l.ctid >= ?::tid AND l.ctid < ?::tid
    AND l.expires_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  RETURNING 1)
SELECT (SELECT count(*) FROM forgotten) AS forgotten,
       pg_relation_size('{schema}.muster_locks') / current_setting('block_size')::int AS pages
