-- The groups of jobs that have just ended. Along index muster_job_history_id.
SELECT DISTINCT h.concurrency_group FROM {schema}.muster_job_history h WHERE h.id = ANY (?::uuid[]) AND h.concurrency_group IS NOT NULL
