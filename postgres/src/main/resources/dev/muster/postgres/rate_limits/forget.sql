-- Removes the counts of windows that ended that long ago, on a stretch of the table's pages. A row that is being counted in is checked again
-- after its new count is committed.
WITH forgotten AS (
  DELETE FROM {schema}.muster_rate_limits r
  WHERE r.ctid >= ?::tid AND r.ctid < ?::tid
    AND r.window_start + r.window_ms * interval '1 millisecond' < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  RETURNING 1)
SELECT (SELECT count(*) FROM forgotten) AS forgotten,
       pg_relation_size('{schema}.muster_rate_limits') / current_setting('block_size')::int AS pages
