-- The names of the jobs, live or ended, that have these ids. By the primary key, and along index muster_job_history_id.
SELECT j.id, j.name FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[])
UNION
SELECT h.id, h.name FROM {schema}.muster_job_history h WHERE h.id = ANY (?::uuid[])
