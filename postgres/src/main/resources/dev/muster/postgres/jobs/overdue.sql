-- Whether any unclaimed job has expired, and the first job that waits for others, searched in all of muster_jobs_expiry and
-- muster_jobs_waiting; and the clock.
SELECT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.expires_at IS NOT NULL AND j.token IS NULL
               AND j.expires_at <= {schema}.muster_statement_clock()) AS expired,
       (SELECT j.id FROM {schema}.muster_jobs j WHERE j.ready_at = 'infinity' AND j.group_position IS NULL ORDER BY j.id LIMIT 1) AS waiting,
       (date_part('epoch', {schema}.muster_statement_clock()) * 1e6)::bigint AS asked_micros
