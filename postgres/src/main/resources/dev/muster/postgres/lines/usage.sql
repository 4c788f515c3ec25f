-- Lines that have jobs, with how many hold a place and how many stand in line, up to a bound. A window of muster_lines is looked at, along its
-- primary key. "most" is null if only a rate limits the line: then the number that is admitted at a time tells people nothing. Jobs are found along index muster_jobs_line from the line's floors on, which stay fast while dead rows cannot be removed.
WITH line AS MATERIALIZED (
  SELECT l.line,
         CASE WHEN d.max_concurrent IS NULL AND (l.line LIKE 'name/%' OR l.line LIKE 'key/%' AND d.rate IS NOT NULL) THEN NULL
              ELSE {schema}.muster_most_admitted(l.line, d.max_concurrent, d.rate) END AS most, d.rate, d.rate_ms, coalesce(d.burst, 1) AS burst,
         CASE WHEN l.floors_at <= {schema}.muster_statement_clock() THEN l.admitted_floor ELSE '-infinity' END AS admitted_floor,
         CASE WHEN l.floors_at <= {schema}.muster_statement_clock() THEN l.held END AS held,
         CASE WHEN l.floors_at <= {schema}.muster_statement_clock() THEN l.floors END AS floors, timestamptz 'infinity' AS in_line
  FROM (SELECT * FROM {schema}.muster_lines WHERE line > ? ORDER BY line LIMIT ?) l
  LEFT JOIN {schema}.muster_line_limits d ON d.name = split_part(l.line, '/', 2) AND split_part(l.line, '/', 1) IN ('name', 'key', 'order')),
busy AS MATERIALIZED (
  SELECT line.*, (
           SELECT min(first.line_at) FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) WITH ORDINALITY AS r (rank, place)
           CROSS JOIN LATERAL (
             SELECT j.line_at FROM {schema}.muster_jobs j
             WHERE j.line = line.line AND j.ready_at = line.in_line AND j.rank = r.rank
               AND j.line_at >= coalesce(line.floors[r.place], '-infinity')
             ORDER BY j.line_at LIMIT 1) first) AS oldest
  FROM line),
chosen AS MATERIALIZED (
  SELECT busy.* FROM busy
  WHERE busy.oldest IS NOT NULL OR EXISTS (
    SELECT FROM {schema}.muster_jobs j WHERE j.line = busy.line AND j.ready_at >= busy.admitted_floor AND j.ready_at < busy.in_line)
    OR EXISTS (
    SELECT FROM unnest(busy.held) AS h (id)
    CROSS JOIN LATERAL (SELECT j.line, j.ready_at FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[h.id]) OFFSET 0) j
    WHERE j.line = busy.line AND j.ready_at < busy.admitted_floor)
  ORDER BY busy.line LIMIT ?)
SELECT (SELECT count(*) FROM line) AS looked_at, (SELECT max(line.line) FROM line) AS looked_to, c.line, c.most, c.rate, c.rate_ms, c.burst,
       c.oldest, admitted.jobs + held.jobs AS running, waiting.jobs AS waiting
FROM (SELECT 1) one
LEFT JOIN chosen c ON true
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM (
    SELECT FROM {schema}.muster_jobs j WHERE j.line = c.line AND j.ready_at >= c.admitted_floor AND j.ready_at < c.in_line LIMIT ?) a) admitted ON true
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM unnest(c.held) AS h (id)
  CROSS JOIN LATERAL (SELECT j.line, j.ready_at FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[h.id]) OFFSET 0) j
  WHERE j.line = c.line AND j.ready_at < c.admitted_floor) held ON true
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM (
    SELECT FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) WITH ORDINALITY AS r (rank, place)
    CROSS JOIN LATERAL (
      SELECT FROM {schema}.muster_jobs j
      WHERE j.line = c.line AND j.ready_at = c.in_line AND j.rank = r.rank AND j.line_at >= coalesce(c.floors[r.place], '-infinity')
      LIMIT ?) w
    LIMIT ?) w) waiting ON true
ORDER BY c.line
