-- Locks a job that is still held by this claim; no row if somebody else has it locked. By the primary key.
SELECT id FROM {schema}.muster_jobs WHERE id = ? AND token = ? FOR UPDATE SKIP LOCKED
