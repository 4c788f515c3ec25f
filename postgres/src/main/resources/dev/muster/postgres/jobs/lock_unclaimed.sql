-- Locks a job that nobody holds; waits for a claim that is under way, and then there is no such job. Drivers of workflows are left alone.
-- By the primary key.
SELECT status FROM {schema}.muster_jobs WHERE id = ? AND token IS NULL AND {no_driver} FOR UPDATE
