-- The same as retryable.sql for the jobs of one tenant, in the order of their ids. Along index muster_job_history_tenant: it reads no job of
-- others, however many of these have failed.
SELECT id, finished_at FROM {schema}.muster_job_history h
WHERE h.finished_at <= ? AND {after} AND h.status <> 'completed'{filter}
  AND NOT (h.attempt = 0 AND h.depends_on IS NOT NULL AND EXISTS (
    SELECT FROM unnest(h.depends_on) AS d (parent)
    WHERE NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)
      AND NOT EXISTS (SELECT FROM {schema}.muster_job_history p WHERE p.id = d.parent AND p.status = 'completed' OFFSET 0)))
ORDER BY {order}
LIMIT ?
