-- What a live job is doing. By the primary key.
SELECT status FROM {schema}.muster_jobs WHERE id = ?
