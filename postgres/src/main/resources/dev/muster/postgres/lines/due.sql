-- The lines of a stretch of the jobs that stand in line and are due, by their times, along index muster_jobs_due_in_line: after a time and
-- a line, up to another time or the present. Without a first time it begins a few seconds ago. Says up to where it has looked, and when the
-- next job in line is due, if that is soon. "late": a job was committed so long after it was put in line that it lies below the floors of its
-- line, where only an admission from the beginning sees it; an ordered line has no such jobs.
WITH bounds AS MATERIALIZED (
  SELECT coalesce(?::timestamptz, {schema}.muster_statement_clock() - interval '10 seconds') AS after,
         ?::text AS line,
         least(?::timestamptz, {schema}.muster_statement_clock()) AS until),
stretch AS MATERIALIZED (
  SELECT j.line_at, j.line, j.rank
  FROM {schema}.muster_jobs j
  WHERE {lines/parts/in_line}
    AND (j.line_at, j.line) > ((SELECT b.after FROM bounds b), (SELECT b.line FROM bounds b)) AND j.line_at <= (SELECT b.until FROM bounds b)
  ORDER BY j.line_at, j.line
  LIMIT ?),
first AS MATERIALIZED (
  SELECT s.line, s.rank, min(s.line_at) AS line_at FROM stretch s GROUP BY s.line, s.rank),
due AS MATERIALIZED (
  SELECT f.line, min(f.line_at) AS line_at,
         bool_or(NOT {schema}.muster_is_ordered(f.line) AND l.floors_at <= {schema}.muster_statement_clock()
                 AND f.line_at < l.floors[array_position(ARRAY[100, 75, 50, 25, 0]::smallint[], f.rank)]) IS TRUE AS late
  FROM first f
  LEFT JOIN {schema}.muster_lines l ON l.line = ANY (ARRAY[f.line])
  GROUP BY f.line)
SELECT due.line, due.late, (SELECT count(*) FROM stretch) AS looked_at,
       (SELECT max(s.line_at) FROM stretch s) AS last_at,
       (SELECT s.line FROM stretch s ORDER BY s.line_at DESC, s.line DESC LIMIT 1) AS last_line,
       (SELECT b.until FROM bounds b) AS until,
       (SELECT ceil(date_part('epoch', j.line_at - {schema}.muster_statement_clock()) * 1000)::bigint
        FROM {schema}.muster_jobs j
        WHERE {lines/parts/in_line} AND j.line_at > {schema}.muster_statement_clock()
          AND j.line_at <= {schema}.muster_statement_clock() + interval '1 minute'
        ORDER BY j.line_at LIMIT 1) AS next_ms
FROM (SELECT 1) one
LEFT JOIN due ON true
ORDER BY due.line_at
