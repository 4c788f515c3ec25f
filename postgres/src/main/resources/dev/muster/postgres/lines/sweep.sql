-- Lines after a given one in which a job that is due stands in line; jumps from line to line along index muster_jobs_line. In each line it
-- looks at the first job of each rank: however many jobs are due later, it does not walk over them.
WITH RECURSIVE known AS (
  SELECT ?::text AS line, 0 AS place
  UNION ALL
  SELECT next.line, known.place + 1
  FROM known
  CROSS JOIN LATERAL (
    SELECT j.line FROM {schema}.muster_jobs j WHERE j.line IS NOT NULL AND j.line > known.line ORDER BY j.line LIMIT 1) next
  WHERE known.place < ?)
SELECT known.line, EXISTS (
         SELECT FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) AS r (rank)
         CROSS JOIN LATERAL (
           SELECT 1 FROM {schema}.muster_jobs j
           WHERE j.line = known.line AND j.ready_at = 'infinity' AND j.rank = r.rank
             AND j.line_at <= {schema}.muster_statement_clock()
           LIMIT 1) due
         OFFSET 0) AS waits
FROM known WHERE known.place > 0 ORDER BY known.place
