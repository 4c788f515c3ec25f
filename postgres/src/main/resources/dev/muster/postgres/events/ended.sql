-- Jobs that have ended behind one position and up to another one, the oldest first; not runs, which have events of their own. Along index
-- muster_job_history_finished, which finds the pages of a stretch of time on the day or the two days that it touches. History is only
-- appended to: what was read once is not passed by again.
SELECT h.id, h.name, h.queue, h.status, h.attempt, h.node_id, h.finished_at
FROM {schema}.muster_job_history h
WHERE h.finished_at >= ? AND h.finished_at <= ? AND (h.finished_at, h.id) > (?, ?) AND (h.finished_at, h.id) <= (?, ?) AND {no_driver}
ORDER BY h.finished_at, h.id
LIMIT ?
