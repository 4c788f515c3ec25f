-- Some of the jobs that wait for one of these if it has ended; a job that waits for several is returned several times. Children of
-- a live job are left out: resolving them changes nothing, so the same ones would be returned the next time.
SELECT d.child FROM {schema}.muster_job_dependencies d
WHERE d.parent = ANY (?::uuid[]) AND NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)
LIMIT ?
