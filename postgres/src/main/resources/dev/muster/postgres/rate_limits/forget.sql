-- Removes the counts of windows that ended that long ago, on a stretch of the table's pages (Tid Range Scan). It leaves out rows that are
-- being counted in: waiting for one while it holds others, it could wait for somebody who waits for those.
WITH old AS MATERIALIZED (
  SELECT r.ctid FROM {schema}.muster_rate_limits r
  WHERE r.ctid >= ?::tid AND r.ctid < ?::tid
    AND r.window_start + r.window_ms * interval '1 millisecond' < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  FOR UPDATE SKIP LOCKED),
forgotten AS (
  DELETE FROM {schema}.muster_rate_limits r WHERE r.ctid = ANY (ARRAY (SELECT old.ctid FROM old)) RETURNING 1)
SELECT (SELECT count(*) FROM forgotten) AS forgotten,
       pg_relation_size('{schema}.muster_rate_limits') / current_setting('block_size')::int AS pages
