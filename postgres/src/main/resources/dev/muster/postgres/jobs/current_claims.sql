-- Which of these claims are current, and which of those were asked to cancel.
SELECT j.id, j.token, j.cancel_requested
FROM unnest(?::uuid[], ?::bigint[]) AS o (id, token)
JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[o.id]) AND j.token = o.token
