-- Keeps log lines, at the time they were said by the database's clock.
INSERT INTO {schema}.muster_job_logs (job_id, at, attempt, level, message)
SELECT l.job_id, {schema}.muster_statement_clock() - l.ago_ms * interval '1 millisecond', l.attempt, l.level, l.message
FROM unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[], ?::text[]) AS l (job_id, ago_ms, attempt, level, message)
