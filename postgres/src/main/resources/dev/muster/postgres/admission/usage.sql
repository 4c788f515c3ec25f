-- Concurrency groups that have jobs, with how many hold a place and how many wait for admission, up to a bound. A window of muster_concurrency_groups is looked at, along
-- its primary key. "most" is null if only a rate limits the group: then the number that is admitted at a time tells people nothing. Jobs are
-- found along index muster_jobs_concurrency_group from the group's floors on, which stay fast while dead rows cannot be removed.
WITH listed AS MATERIALIZED (
  SELECT l.concurrency_group,
         CASE WHEN d.max_concurrent IS NULL AND (l.concurrency_group LIKE 'name/%' OR l.concurrency_group LIKE 'key/%' AND d.rate IS NOT NULL) THEN NULL
              ELSE {schema}.muster_most_admitted(l.concurrency_group, d.max_concurrent, d.rate) END AS most, d.rate, d.rate_ms, coalesce(d.burst, 1) AS burst,
         CASE WHEN l.floors_at <= {schema}.muster_statement_clock() THEN l.admitted_floor ELSE '-infinity' END AS admitted_floor,
         CASE WHEN l.floors_at <= {schema}.muster_statement_clock() THEN l.held END AS held,
         CASE WHEN l.floors_at <= {schema}.muster_statement_clock() THEN l.floors END AS floors, timestamptz 'infinity' AS not_admitted
  FROM (SELECT * FROM {schema}.muster_concurrency_groups WHERE concurrency_group > ? ORDER BY concurrency_group LIMIT ?) l
  LEFT JOIN {schema}.muster_concurrency_limits d ON d.name = split_part(l.concurrency_group, '/', 2) AND split_part(l.concurrency_group, '/', 1) IN ('name', 'key', 'order')),
busy AS MATERIALIZED (
  SELECT listed.*, (
           SELECT min(first.group_position) FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) WITH ORDINALITY AS r (rank, ordinal)
           CROSS JOIN LATERAL (
             SELECT j.group_position FROM {schema}.muster_jobs j
             WHERE j.concurrency_group = listed.concurrency_group AND j.ready_at = listed.not_admitted AND j.rank = r.rank
               AND j.group_position >= coalesce(listed.floors[r.ordinal], '-infinity')
             ORDER BY j.group_position LIMIT 1) first) AS oldest
  FROM listed),
chosen AS MATERIALIZED (
  SELECT busy.* FROM busy
  WHERE busy.oldest IS NOT NULL OR EXISTS (
    SELECT FROM {schema}.muster_jobs j WHERE j.concurrency_group = busy.concurrency_group AND j.ready_at >= busy.admitted_floor AND j.ready_at < busy.not_admitted)
    OR EXISTS (
    SELECT FROM unnest(busy.held) AS h (id)
    CROSS JOIN LATERAL (SELECT j.concurrency_group, j.ready_at FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[h.id]) OFFSET 0) j
    WHERE j.concurrency_group = busy.concurrency_group AND j.ready_at < busy.admitted_floor)
  ORDER BY busy.concurrency_group LIMIT ?)
SELECT (SELECT count(*) FROM listed) AS looked_at, (SELECT max(listed.concurrency_group) FROM listed) AS looked_to, c.concurrency_group, c.most, c.rate, c.rate_ms, c.burst,
       c.oldest, admitted.jobs + held.jobs AS running, waiting.jobs AS waiting
FROM (SELECT 1) one
LEFT JOIN chosen c ON true
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM (
    SELECT FROM {schema}.muster_jobs j WHERE j.concurrency_group = c.concurrency_group AND j.ready_at >= c.admitted_floor AND j.ready_at < c.not_admitted LIMIT ?) a) admitted ON true
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM unnest(c.held) AS h (id)
  CROSS JOIN LATERAL (SELECT j.concurrency_group, j.ready_at FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[h.id]) OFFSET 0) j
  WHERE j.concurrency_group = c.concurrency_group AND j.ready_at < c.admitted_floor) held ON true
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM (
    SELECT FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) WITH ORDINALITY AS r (rank, ordinal)
    CROSS JOIN LATERAL (
      SELECT FROM {schema}.muster_jobs j
      WHERE j.concurrency_group = c.concurrency_group AND j.ready_at = c.not_admitted AND j.rank = r.rank AND j.group_position >= coalesce(c.floors[r.ordinal], '-infinity')
      LIMIT ?) w
    LIMIT ?) w) waiting ON true
ORDER BY c.concurrency_group
