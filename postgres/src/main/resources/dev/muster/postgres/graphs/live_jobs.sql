-- Those of these jobs that have not ended. By the primary key.
SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[])
