-- The first job from an id on that waits for others, along index muster_jobs_waiting; and the clock. Every job with edges waits, so
-- the edges need not be read.
SELECT (SELECT j.id FROM {schema}.muster_jobs j WHERE j.ready_at = 'infinity' AND j.id >= ? ORDER BY j.id LIMIT 1) AS id,
       (date_part('epoch', {schema}.muster_statement_clock()) * 1000)::bigint AS asked_millis
