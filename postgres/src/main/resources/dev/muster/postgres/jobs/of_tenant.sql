-- Which of these jobs belong to a tenant. By the ids; one snapshot sees each job in exactly one of the tables.
SELECT id FROM {schema}.muster_jobs WHERE id = ANY (?::uuid[]) AND metadata ->> 'tenant' = ?
UNION ALL
SELECT id FROM {schema}.muster_job_history WHERE id = ANY (?::uuid[]) AND metadata ->> 'tenant' = ?
