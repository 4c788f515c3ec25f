-- Ends a job that nobody holds; its row is locked by this transaction.
WITH ended AS (DELETE FROM {schema}.muster_jobs WHERE id = ? RETURNING *),
{jobs/cancel}
