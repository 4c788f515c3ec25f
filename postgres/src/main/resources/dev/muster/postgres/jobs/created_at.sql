-- When a job was enqueued, live or ended. By the primary key, and along index muster_job_history_id.
SELECT created_at FROM {schema}.muster_jobs WHERE id = ?
UNION ALL
SELECT created_at FROM {schema}.muster_job_history WHERE id = ?
