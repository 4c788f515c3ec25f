-- Explains in words why a job is not running that is due. Nothing if it is not, or not any more; see why_not_due.sql.
WITH job AS (SELECT * FROM {schema}.muster_jobs WHERE id = ?),
live AS (
  SELECT n.* FROM {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
  WHERE v.verdict IN ('active', 'stale')),
able AS (SELECT live.* FROM live, job WHERE live.handlers -> job.name IS NOT NULL),
serving AS (SELECT able.* FROM able, job WHERE able.queues IS NULL OR job.queue = ANY (able.queues)),
fit AS (
  SELECT serving.* FROM serving, job
  WHERE {schema}.muster_fits(job.capability, serving.capabilities, serving.labels, serving.id)),
-- How many slots those have for this job. A node of a version without executors tells no size. Claims come and go, so the planner
-- expects more of them than there are, and would rather look for their jobs among all jobs.
slots AS (
  SELECT e.executor, (fit.executors -> e.executor ->> 'size')::int AS size, (fit.executors -> e.executor ->> 'stuck')::int AS stuck, (
           SELECT count(DISTINCT held.id)
           FROM {schema}.muster_claims c
           CROSS JOIN LATERAL unnest(c.ids) AS named (id)
           CROSS JOIN LATERAL (
             SELECT j.id, j.name FROM {schema}.muster_jobs j
             WHERE j.id = ANY (ARRAY[named.id]) AND j.node_id = c.node_id AND j.token IS NOT NULL OFFSET 0) held
           WHERE c.node_id = fit.id AND fit.handlers -> held.name ->> 'executor' = e.executor) AS used
  FROM job, fit CROSS JOIN LATERAL (SELECT fit.handlers -> job.name ->> 'executor' AS executor) e),
-- The nodes that come closest.
misfit AS (
  SELECT serving.id, m.reasons
  FROM job, serving
  CROSS JOIN LATERAL (SELECT {schema}.muster_misfits(job.capability, serving.capabilities, serving.labels, serving.id) AS reasons) m
  ORDER BY cardinality(m.reasons), serving.id LIMIT 5),
-- Some of the other queues with a limit that have due jobs. Their lanes are found by jumping along index muster_jobs_ready.
rival AS (
  SELECT o.name
  FROM (
    SELECT other.name FROM {schema}.muster_queues other, job
    WHERE other.limited AND other.paused_at IS NULL AND other.name <> job.queue ORDER BY other.name LIMIT 20) o
  WHERE EXISTS (
    WITH RECURSIVE lane AS (
      (SELECT j.capability, j.rank FROM {schema}.muster_jobs j
       WHERE j.ready_at < 'infinity' AND j.queue = o.name ORDER BY j.capability, j.rank LIMIT 1)
      UNION ALL
      SELECT next.capability, next.rank
      FROM lane
      CROSS JOIN LATERAL (
        SELECT j.capability, j.rank FROM {schema}.muster_jobs j
        WHERE j.ready_at < 'infinity' AND j.queue = o.name AND (j.capability, j.rank) > (lane.capability, lane.rank)
        ORDER BY j.capability, j.rank LIMIT 1) next)
    SELECT FROM lane WHERE EXISTS (
      SELECT FROM {schema}.muster_jobs j
      WHERE j.queue = o.name AND j.capability = lane.capability AND j.rank = lane.rank
        AND j.ready_at <= {schema}.muster_statement_clock() AND j.ready_at < 'infinity' AND j.status = 'pending' OFFSET 0))
  LIMIT 5)
SELECT CASE
  WHEN job.status <> 'pending' OR job.ready_at > {schema}.muster_clock() THEN NULL
  WHEN q.paused_at IS NOT NULL THEN {jobs/parts/paused}
  WHEN NOT EXISTS (SELECT FROM live) THEN 'no live node is there'
  WHEN NOT EXISTS (SELECT FROM able) AND EXISTS (SELECT FROM live WHERE job.name = ANY (live.unrouted)) THEN
    'no live node routes ''' || job.name || ''' to an executor; '
    || (SELECT {schema}.muster_counted(count(*), 'live node') || CASE count(*) WHEN 1 THEN ' has' ELSE ' have' END FROM live WHERE job.name = ANY (live.unrouted))
    || ' a handler for it'
  WHEN NOT EXISTS (SELECT FROM able) THEN 'no live node has a handler for ''' || job.name || ''''
  WHEN NOT EXISTS (SELECT FROM serving) THEN 'no live node with a handler serves queue ''' || job.queue || ''''
  WHEN NOT EXISTS (SELECT FROM fit) AND job.capability ~ '[&!@|~=]' THEN
    'no live node with a handler fits ''' || job.capability || ''': '
    || (SELECT string_agg(id || ' ' || array_to_string(reasons, ' and '), '; ' ORDER BY cardinality(reasons), id) FROM misfit)
    || (SELECT CASE WHEN count(*) > 5 THEN '; and ' || count(*) - 5 || ' more' ELSE '' END FROM serving)
  WHEN NOT EXISTS (SELECT FROM fit) THEN 'no live node with a handler has capability ''' || job.capability || ''''
  WHEN q.max_running <= place.used THEN
    'queue ''' || job.queue || ''' runs ' || place.used || ' of at most ' || {schema}.muster_counted(q.max_running, 'job')
  WHEN rate.next_at > {schema}.muster_clock() THEN
    'queue ''' || job.queue || ''' starts at most ' || {schema}.muster_counted(q.rate_per, 'job') || ' in ' || q.rate_interval || ', the next one at '
    || to_char(rate.next_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
  WHEN NOT EXISTS (SELECT FROM slots WHERE size IS NULL OR used + stuck < size) THEN
    (SELECT CASE sum(size) WHEN 1 THEN 'the only slot' ELSE 'all ' || sum(size) || ' slots' END FROM slots) || ' of executor ' || (SELECT string_agg(DISTINCT executor, ', ') FROM slots)
    || ' on ' || (SELECT {schema}.muster_counted(count(*), 'node') || CASE sum(size) WHEN 1 THEN ' is' ELSE ' are' END FROM slots) || ' taken'
    || (SELECT CASE WHEN sum(stuck) > 0 THEN ', ' || sum(stuck) || ' of them by handlers that ignore interruption' ELSE '' END FROM slots)
    || {jobs/parts/turns}
  ELSE 'it is ready; ' || (SELECT {schema}.muster_counted(count(*), 'live node') || ' can run it and ' || CASE count(*) WHEN 1 THEN 'is' ELSE 'are' END FROM fit)
       || ' busy or about to claim it'
       || CASE WHEN starts_with(job.error, {phrase:put_back}) THEN '; it was ' || split_part(job.error, chr(10), 1) ELSE '' END
       || {jobs/parts/turns}
END
FROM job
LEFT JOIN {schema}.muster_queues q ON q.name = job.queue
LEFT JOIN LATERAL (
  SELECT count(DISTINCT held.id) AS used
  FROM {schema}.muster_claims c
  CROSS JOIN LATERAL unnest(c.ids) AS named (id)
  CROSS JOIN LATERAL (
    SELECT j.id, j.name FROM {schema}.muster_jobs j
    WHERE j.id = ANY (ARRAY[named.id]) AND j.node_id = c.node_id AND j.token IS NOT NULL OFFSET 0) held
  WHERE c.queue = q.name) place ON q.max_running IS NOT NULL
LEFT JOIN LATERAL (
  SELECT r.paid_until - (q.burst - 1) * q.rate_interval / q.rate_per AS next_at
  FROM {jobs/parts/rate_used} r) rate ON true
