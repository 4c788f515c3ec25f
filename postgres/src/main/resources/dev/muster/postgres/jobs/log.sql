-- Stores log lines with the time at which they were logged, by the database's clock. A line that waited for more than a day, because
-- its process was frozen, gets the current time, since the partition of its day may be gone.
INSERT INTO {schema}.muster_job_logs (job_id, at, attempt, level, message)
SELECT l.job_id, {schema}.muster_statement_clock()
         - CASE WHEN l.ago_ms <= 86400000 THEN l.ago_ms ELSE 0 END * interval '1 millisecond', l.attempt, l.level, l.message
FROM unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[], ?::text[]) AS l (job_id, ago_ms, attempt, level, message)
