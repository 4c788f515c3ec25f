-- Locks a live job and says what it is doing; no row if somebody else has it locked. By the primary key.
SELECT status FROM {schema}.muster_jobs WHERE id = ? FOR UPDATE SKIP LOCKED
