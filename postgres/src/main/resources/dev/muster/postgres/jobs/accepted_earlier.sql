-- Which of these outcomes are in history already: the write is a repetition after a lost acknowledgement.
SELECT o.id, o.token
FROM unnest(?::uuid[], ?::bigint[]) AS o (id, token)
JOIN {schema}.muster_job_history h ON h.id = ANY (ARRAY[o.id]) AND h.token = o.token
