-- Cancels a job that no node has claimed; this transaction has locked its row.
WITH ended AS (DELETE FROM {schema}.muster_jobs WHERE id = ? RETURNING *),
{jobs/parts/cancelled_into_history}
