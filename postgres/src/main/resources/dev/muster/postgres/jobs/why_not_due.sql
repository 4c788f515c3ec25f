-- Explains in words why a job is not running that is not due: it waits for admission, for other jobs or for its time. Nothing if it is due;
-- then why_not_claimed.sql explains it. They are two statements because starting a plan costs time for all that it has, used or not.
WITH job AS (SELECT * FROM {schema}.muster_jobs WHERE id = ?)
SELECT CASE
  WHEN job.group_position IS NOT NULL AND job.status = 'waiting' AND job.group_position > {schema}.muster_clock() THEN
    CASE WHEN job.attempt > 0 THEN 'attempt ' || job.attempt || ' failed; the next one waits for admission from ' ELSE 'it waits for admission from ' END
    || to_char(job.group_position AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC on'
  WHEN job.group_position IS NOT NULL AND job.status = 'waiting' THEN (SELECT {admission/parts/why})
  WHEN job.status = 'waiting' THEN (
    SELECT 'it depends on ' || CASE total WHEN 1 THEN '1 job that has' ELSE total || ' jobs that have' END || ' not ' || CASE WHEN only_ends THEN 'ended: ' ELSE 'completed: ' END || string_agg(parent, ', ')
           || CASE WHEN total > 5 THEN ', …' ELSE '' END
    FROM (SELECT d.parent::text AS parent, count(*) OVER () AS total, bool_and(d.any_outcome) OVER () AS only_ends
          FROM {schema}.muster_job_dependencies d WHERE d.child = job.id ORDER BY d.parent LIMIT 5) p
    GROUP BY total, only_ends)
  WHEN job.status <> 'pending' OR job.ready_at <= {schema}.muster_clock() THEN NULL
  WHEN q.paused_at IS NOT NULL THEN {jobs/parts/paused}
  WHEN job.ready_at > {schema}.muster_clock() AND starts_with(job.error, {phrase:put_back}) THEN
    split_part(job.error, chr(10), 1) || '; it is tried again at ' || to_char(job.ready_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
  WHEN job.ready_at > {schema}.muster_clock() AND job.attempt > 0 THEN
    'attempt ' || job.attempt || ' failed; the next one is due at ' || to_char(job.ready_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
  WHEN job.ready_at > {schema}.muster_clock() AND begins.rate IS NOT NULL THEN
    {admission/parts/named}
    || ' starts at most ' || {schema}.muster_counted(begins.rate, 'job') || ' in ' || begins.rate_ms * interval '1 millisecond' || '; it came too early, and comes back at '
    || to_char(job.ready_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
  WHEN job.ready_at > {schema}.muster_clock() THEN
    'it is due at ' || to_char(job.ready_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
END
FROM job
LEFT JOIN {schema}.muster_queues q ON q.name = job.queue
LEFT JOIN {schema}.muster_concurrency_limits begins
  ON begins.name = split_part(job.concurrency_group, '/', 2) AND split_part(job.concurrency_group, '/', 1) IN ('name', 'key', 'order')
