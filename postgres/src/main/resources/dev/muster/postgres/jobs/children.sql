-- Some of the jobs that wait for any of these; one that waits for several comes several times.
SELECT d.child FROM {schema}.muster_job_dependencies d WHERE d.parent = ANY (?::uuid[]) LIMIT ?
