-- Removes the locks on a stretch of the table's pages that have been free for so long. Whoever was on the way to such a row
-- when it was last held has long arrived, so that tokens still grow in the order of the holders; see locks/acquire.sql.
WITH forgotten AS (
  DELETE FROM {schema}.muster_locks l
  WHERE l.ctid >= ?::tid AND l.ctid < ?::tid
    AND l.expires_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  RETURNING 1)
SELECT (SELECT count(*) FROM forgotten) AS forgotten,
       pg_relation_size('{schema}.muster_locks') / current_setting('block_size')::int AS pages
