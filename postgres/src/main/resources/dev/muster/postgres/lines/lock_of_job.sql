-- Locks the line of a job, before the job itself is locked. Along the primary keys.
SELECT FROM {schema}.muster_lines l
WHERE l.line = ANY (ARRAY[(SELECT j.line FROM {schema}.muster_jobs j WHERE j.id = ? AND j.line IS NOT NULL)])
FOR NO KEY UPDATE
