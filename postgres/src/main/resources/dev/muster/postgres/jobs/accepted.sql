-- Which of these outcomes stand in history already: a repeated write whose acknowledgement was lost.
SELECT o.id, o.token
FROM unnest(?::uuid[], ?::bigint[]) AS o (id, token)
JOIN {schema}.muster_job_history h ON h.id = ANY (ARRAY[o.id]) AND h.token = o.token
