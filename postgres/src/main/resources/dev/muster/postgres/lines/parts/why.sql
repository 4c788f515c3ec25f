-- A part of why_not_running.sql: says of a job in line who holds the places, and how many jobs stand before it. Counts are limited. If
-- there is one place and its job is not being run, because it waits for its next attempt or no node can run it, that job is named.
{lines/parts/named}
  || CASE WHEN places.taken < places.most AND places.rate IS NOT NULL
          THEN ' starts at most ' || places.rate || ' job(s) in ' || places.rate_ms * interval '1 millisecond'
          WHEN places.most = 1 AND places.idle IS NOT NULL THEN ' waits for job ' || places.idle || ', which is pending'
          ELSE ' runs ' || places.taken || ' of at most ' || places.most END
  || '; ' || to_char(before.jobs, 'FM999,999') || CASE WHEN before.jobs > 10000 THEN ' or more' ELSE '' END || ' before it in line'
FROM (SELECT l.rate, l.rate_ms, {schema}.muster_most_admitted(job.line, l.max_concurrent, l.rate) AS most, (
             SELECT count(*) FROM {schema}.muster_jobs a WHERE a.line = job.line AND a.ready_at < 'infinity') AS taken, (
             SELECT a.id FROM {schema}.muster_jobs a
             WHERE a.line = job.line AND a.ready_at < 'infinity' AND a.status = 'pending' LIMIT 1) AS idle
      FROM (SELECT 1) one LEFT JOIN {schema}.muster_line_limits l
        ON l.name = split_part(job.line, '/', 2) AND split_part(job.line, '/', 1) IN ('name', 'key', 'order')) places,
     (SELECT count(*) AS jobs FROM (
        SELECT 1 FROM {schema}.muster_jobs b
        WHERE b.line = job.line AND b.ready_at = 'infinity'
          AND CASE WHEN {schema}.muster_is_ordered(job.line) THEN (b.line_at, b.id) < (job.line_at, job.id)
                   ELSE b.line_at <= {schema}.muster_statement_clock()
                        AND (b.rank > job.rank OR b.rank = job.rank AND (b.line_at, b.id) < (job.line_at, job.id)) END
        LIMIT 10001) b) before
