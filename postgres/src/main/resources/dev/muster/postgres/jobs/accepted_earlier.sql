-- How the claims ended that are in history with their token. Either an outcome was accepted and its acknowledgement was lost, or the
-- claim was taken back and that ended the job.
SELECT o.id, o.token, h.status, h.error
FROM unnest(?::uuid[], ?::bigint[]) AS o (id, token)
JOIN {schema}.muster_job_history h ON h.id = ANY (ARRAY[o.id]) AND h.token = o.token
