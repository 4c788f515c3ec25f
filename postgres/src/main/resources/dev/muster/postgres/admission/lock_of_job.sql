-- Locks the group of a job, before the job itself is locked. Along the primary keys.
SELECT FROM {schema}.muster_concurrency_groups l
WHERE l.concurrency_group = ANY (ARRAY[(SELECT j.concurrency_group FROM {schema}.muster_jobs j WHERE j.id = ? AND j.concurrency_group IS NOT NULL)])
FOR NO KEY UPDATE
