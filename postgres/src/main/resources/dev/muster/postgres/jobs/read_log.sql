-- Log lines of a job. Along index muster_job_logs_job.
SELECT line, at, attempt, level, message FROM {schema}.muster_job_logs WHERE job_id = ? AND line > ? ORDER BY line LIMIT ?
