-- Locks the rows of some lines in which no job has been admitted for a day, unless somebody admits right now. A line with a rate is kept for
-- the interval of the rate: until then its row knows how much of it is used up.
SELECT l.line FROM {schema}.muster_lines l
WHERE l.line > ? AND l.used_at < {schema}.muster_clock() - interval '1 day'
  AND NOT EXISTS (
    SELECT FROM {schema}.muster_line_limits d
    WHERE d.name = split_part(l.line, '/', 2) AND split_part(l.line, '/', 1) IN ('name', 'key', 'order')
      AND l.used_at > {schema}.muster_clock() - d.rate_ms * interval '1 millisecond' OFFSET 0)
ORDER BY l.line LIMIT ?
FOR UPDATE SKIP LOCKED
