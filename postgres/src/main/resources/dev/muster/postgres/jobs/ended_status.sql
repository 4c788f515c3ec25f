-- How a job ended. Along index muster_job_history_id.
SELECT status FROM {schema}.muster_job_history WHERE id = ?
