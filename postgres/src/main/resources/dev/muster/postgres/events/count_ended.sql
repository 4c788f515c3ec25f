-- How many jobs have ended behind one position and up to another one. Along the same index as ended.sql, and sent only if there are more than
-- that one returns.
SELECT count(*) AS ended, count(*) FILTER (WHERE h.status = 'failed') AS failed
FROM {schema}.muster_job_history h
WHERE h.finished_at >= ? AND h.finished_at <= ? AND (h.finished_at, h.id) > (?, ?) AND (h.finished_at, h.id) <= (?, ?) AND {no_driver}
