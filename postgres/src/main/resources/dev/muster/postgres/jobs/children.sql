-- The jobs that wait for any of these.
SELECT DISTINCT d.child FROM {schema}.muster_job_dependencies d WHERE d.parent = ANY (?::uuid[])
