-- Asks claimed and running jobs of tasks to stop; this transaction has locked their rows.
UPDATE {schema}.muster_jobs j SET cancel_requested = true
WHERE j.id = ANY (?::uuid[]) AND j.token IS NOT NULL
RETURNING j.id
