-- The status of one job, live or ended, by the primary key and the index on id of each day of history. One snapshot sees it in exactly one
-- of the two tables.
SELECT status FROM {schema}.muster_jobs WHERE id = ?
UNION ALL
SELECT status FROM {schema}.muster_job_history WHERE id = ?
