-- Some of the jobs that wait for any of these that have ended; one that waits for several comes several times. Children of a
-- job that is live are left out: resolving them changes nothing, so there would be as many the next time.
SELECT d.child FROM {schema}.muster_job_dependencies d
WHERE d.parent = ANY (?::uuid[]) AND NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)
LIMIT ?
