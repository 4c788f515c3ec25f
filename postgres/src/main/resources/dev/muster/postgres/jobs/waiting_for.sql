-- The jobs that wait for one of these, whether it has ended or not. Along index muster_job_dependencies_parent.
SELECT child FROM {schema}.muster_job_dependencies WHERE parent = ANY (?::uuid[])
