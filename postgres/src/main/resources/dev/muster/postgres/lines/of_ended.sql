-- The lines of jobs that have just ended. Along index muster_job_history_id.
SELECT DISTINCT h.line FROM {schema}.muster_job_history h WHERE h.id = ANY (?::uuid[]) AND h.line IS NOT NULL
