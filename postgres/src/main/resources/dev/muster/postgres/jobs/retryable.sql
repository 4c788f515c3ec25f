-- Ended jobs to retry, in the order of their end. Jobs are left out if no node had claimed them and they depend on a job that did
-- not complete or is gone from history. Along index muster_job_history_unhappy.
SELECT h.id, h.finished_at FROM {schema}.muster_job_history h
WHERE h.finished_at <= ? AND (h.finished_at, h.id) > (?, ?) AND h.finished_at >= ? AND h.status <> 'completed'{filter}
  AND NOT (h.attempt = 0 AND h.depends_on IS NOT NULL AND EXISTS (
    SELECT FROM unnest(h.depends_on) AS d (parent)
    WHERE NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)
      AND NOT EXISTS (SELECT FROM {schema}.muster_job_history p WHERE p.id = d.parent AND p.status = 'completed' OFFSET 0)))
ORDER BY h.finished_at, h.id
LIMIT ?
