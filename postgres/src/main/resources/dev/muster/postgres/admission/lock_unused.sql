-- Locks the rows of some groups in which no job has been admitted for a day, unless somebody admits right now. A group with a rate is kept
-- for the interval of the rate, and an hour, by which used_at may be late: until then its row knows how much of it is used up. Looks at a
-- stretch of the groups, along the primary key, however few of them are unused; says up to which group it has looked.
WITH stretch AS MATERIALIZED (
  SELECT l.concurrency_group, l.used_at FROM {schema}.muster_concurrency_groups l WHERE l.concurrency_group > ? ORDER BY l.concurrency_group LIMIT ?),
unused AS MATERIALIZED (
  SELECT l.concurrency_group FROM {schema}.muster_concurrency_groups l
  WHERE l.concurrency_group = ANY (ARRAY (
      SELECT s.concurrency_group FROM stretch s
      WHERE s.used_at < {schema}.muster_clock() - interval '1 day'
        AND NOT EXISTS (
          SELECT FROM {schema}.muster_concurrency_limits d
          WHERE d.name = split_part(s.concurrency_group, '/', 2) AND split_part(s.concurrency_group, '/', 1) IN ('name', 'key', 'order')
            AND s.used_at > {schema}.muster_clock() - d.rate_ms * interval '1 millisecond' - interval '1 hour' OFFSET 0)))
    AND l.used_at < {schema}.muster_clock() - interval '1 day'
  ORDER BY l.concurrency_group
  FOR UPDATE SKIP LOCKED)
SELECT (SELECT count(*) FROM stretch) AS looked_at, (SELECT max(s.concurrency_group) FROM stretch s) AS looked_to, ARRAY (SELECT u.concurrency_group FROM unused u) AS unused
