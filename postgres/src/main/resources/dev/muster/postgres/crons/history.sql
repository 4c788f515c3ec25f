-- The last ticks of a cron, and what became of their jobs. Backwards along the primary key of muster_cron_ticks; jobs by their ids.
SELECT t.tick, t.job_id, coalesce(live.status, ended.status) AS status, ended.finished_at
FROM (SELECT c.tick, c.job_id FROM {schema}.muster_cron_ticks c WHERE c.cron = ? ORDER BY c.tick DESC LIMIT ?) t
LEFT JOIN LATERAL (SELECT j.status FROM {schema}.muster_jobs j WHERE j.id = t.job_id LIMIT 1) live ON true
LEFT JOIN LATERAL (SELECT h.status, h.finished_at FROM {schema}.muster_job_history h WHERE h.id = t.job_id LIMIT 1) ended ON true
ORDER BY t.tick DESC
