-- Locks the rows of some lines in which no job has been admitted for a day, unless somebody admits right now. A line with a rate is kept for
-- the interval of the rate, and an hour, by which used_at may be late: until then its row knows how much of it is used up. Looks at a stretch of the lines, along the primary key, however
-- few of them are unused; says up to which line it has looked.
WITH stretch AS MATERIALIZED (
  SELECT l.line, l.used_at FROM {schema}.muster_lines l WHERE l.line > ? ORDER BY l.line LIMIT ?),
unused AS MATERIALIZED (
  SELECT l.line FROM {schema}.muster_lines l
  WHERE l.line = ANY (ARRAY (
      SELECT s.line FROM stretch s
      WHERE s.used_at < {schema}.muster_clock() - interval '1 day'
        AND NOT EXISTS (
          SELECT FROM {schema}.muster_line_limits d
          WHERE d.name = split_part(s.line, '/', 2) AND split_part(s.line, '/', 1) IN ('name', 'key', 'order')
            AND s.used_at > {schema}.muster_clock() - d.rate_ms * interval '1 millisecond' - interval '1 hour' OFFSET 0)))
    AND l.used_at < {schema}.muster_clock() - interval '1 day'
  ORDER BY l.line
  FOR UPDATE SKIP LOCKED)
SELECT (SELECT count(*) FROM stretch) AS looked_at, (SELECT max(s.line) FROM stretch s) AS looked_to, ARRAY (SELECT u.line FROM unused u) AS unused
