-- Locks a live job and says what it is doing; no row if somebody else has it locked. Drivers of workflows are left alone. By the primary key.
SELECT status FROM {schema}.muster_jobs WHERE id = ? AND {no_driver} FOR UPDATE SKIP LOCKED
