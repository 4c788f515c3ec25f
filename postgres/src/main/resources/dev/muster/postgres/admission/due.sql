-- The groups of a stretch of the jobs that wait for admission and are due, by their times, along index muster_jobs_due_for_admission: after a time and
-- a group, up to another time or the present. Without a first time it begins a few seconds ago. Says up to where it has looked, and when the
-- next job that waits for admission is due, if that is soon. "late": a job was committed so long after it was put into its group that it lies below the floors of its
-- group, where only an admission from the beginning sees it; an ordered group has no such jobs.
WITH bounds AS MATERIALIZED (
  SELECT coalesce(?::timestamptz, {schema}.muster_statement_clock() - interval '10 seconds') AS after,
         ?::text AS concurrency_group,
         least(?::timestamptz, {schema}.muster_statement_clock()) AS until),
stretch AS MATERIALIZED (
  SELECT j.group_position, j.concurrency_group, j.rank
  FROM {schema}.muster_jobs j
  WHERE {admission/parts/awaits_admission}
    AND (j.group_position, j.concurrency_group) > ((SELECT b.after FROM bounds b), (SELECT b.concurrency_group FROM bounds b)) AND j.group_position <= (SELECT b.until FROM bounds b)
  ORDER BY j.group_position, j.concurrency_group
  LIMIT ?),
first AS MATERIALIZED (
  SELECT s.concurrency_group, s.rank, min(s.group_position) AS group_position FROM stretch s GROUP BY s.concurrency_group, s.rank),
due AS MATERIALIZED (
  SELECT f.concurrency_group, min(f.group_position) AS group_position,
         bool_or(NOT {schema}.muster_is_ordered(f.concurrency_group) AND l.floors_at <= {schema}.muster_statement_clock()
                 AND f.group_position < l.floors[array_position(ARRAY[100, 75, 50, 25, 0]::smallint[], f.rank)]) IS TRUE AS late
  FROM first f
  LEFT JOIN {schema}.muster_concurrency_groups l ON l.concurrency_group = ANY (ARRAY[f.concurrency_group])
  GROUP BY f.concurrency_group)
SELECT due.concurrency_group, due.late, (SELECT count(*) FROM stretch) AS looked_at,
       (SELECT max(s.group_position) FROM stretch s) AS last_at,
       (SELECT s.concurrency_group FROM stretch s ORDER BY s.group_position DESC, s.concurrency_group DESC LIMIT 1) AS last_group,
       (SELECT b.until FROM bounds b) AS until,
       (SELECT ceil(date_part('epoch', j.group_position - {schema}.muster_statement_clock()) * 1000)::bigint
        FROM {schema}.muster_jobs j
        WHERE {admission/parts/awaits_admission} AND j.group_position > {schema}.muster_statement_clock()
          AND j.group_position <= {schema}.muster_statement_clock() + interval '1 minute'
        ORDER BY j.group_position LIMIT 1) AS next_ms
FROM (SELECT 1) one
LEFT JOIN due ON true
ORDER BY due.group_position
