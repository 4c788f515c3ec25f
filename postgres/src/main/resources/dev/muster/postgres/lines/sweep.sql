-- Lines after a given one in which a job that is due stands in line; jumps from line to line along index muster_jobs_line.
WITH RECURSIVE known AS (
  SELECT ?::text AS line, 0 AS place
  UNION ALL
  SELECT next.line, known.place + 1
  FROM known
  CROSS JOIN LATERAL (
    SELECT j.line FROM {schema}.muster_jobs j WHERE j.line IS NOT NULL AND j.line > known.line ORDER BY j.line LIMIT 1) next
  WHERE known.place < ?)
SELECT known.line, EXISTS (
         SELECT FROM {schema}.muster_jobs j
         WHERE j.line = known.line AND j.ready_at = 'infinity' AND j.line_at <= {schema}.muster_statement_clock() OFFSET 0) AS waits
FROM known WHERE known.place > 0 ORDER BY known.place
