-- A part of why_not_due.sql: says of a job that waits for admission who holds the places, and how many jobs stand before it. Counts are limited. If
-- there is one place and its job is not being run, because it waits for its next attempt or no node can run it, that job is named.
{admission/parts/named}
  || CASE WHEN places.taken < places.most AND places.rate IS NOT NULL
          THEN ' starts at most ' || {schema}.muster_counted(places.rate, 'job') || ' in ' || places.rate_ms * interval '1 millisecond'
          WHEN places.most = 1 AND places.idle IS NOT NULL THEN ' waits for job ' || places.idle || ', which is pending'
          ELSE ' runs ' || places.taken || ' of at most ' || places.most END
  || '; ' || to_char(before.jobs, 'FM999,999') || CASE WHEN before.jobs > 10000 THEN ' or more' ELSE '' END || ' before it'
FROM (SELECT l.rate, l.rate_ms, {schema}.muster_most_admitted(job.concurrency_group, l.max_concurrent, l.rate) AS most, (
             SELECT count(*) FROM {schema}.muster_jobs a WHERE a.concurrency_group = job.concurrency_group AND a.ready_at < 'infinity') AS taken, (
             SELECT a.id FROM {schema}.muster_jobs a
             WHERE a.concurrency_group = job.concurrency_group AND a.ready_at < 'infinity' AND a.status = 'pending' LIMIT 1) AS idle
      FROM (SELECT 1) one LEFT JOIN {schema}.muster_concurrency_limits l
        ON l.name = split_part(job.concurrency_group, '/', 2) AND split_part(job.concurrency_group, '/', 1) IN ('name', 'key', 'order')) places,
     (SELECT count(*) AS jobs FROM (
        SELECT 1 FROM {schema}.muster_jobs b
        WHERE b.concurrency_group = job.concurrency_group AND b.ready_at = 'infinity'
          AND CASE WHEN {schema}.muster_is_ordered(job.concurrency_group) THEN (b.group_position, b.id) < (job.group_position, job.id)
                   ELSE b.group_position <= {schema}.muster_statement_clock()
                        AND (b.rank > job.rank OR b.rank = job.rank AND (b.group_position, b.id) < (job.group_position, job.id)) END
        LIMIT 10001) b) before
