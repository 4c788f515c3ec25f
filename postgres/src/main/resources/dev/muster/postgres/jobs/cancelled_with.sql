-- Jobs that were cancelled by resolve.sql because one of these had not completed. Jobs that also depend on another job that has not
-- completed are left out. Along index muster_job_history_unhappy, from the creation of the first of these jobs on.
SELECT h.id FROM {schema}.muster_job_history h
WHERE h.status = 'cancelled' AND h.finished_at >= ? AND h.finished_at <= ?
  AND h.depends_on IS NOT NULL AND h.depends_on && ?::uuid[] AND h.error LIKE {phrase:lost_parent} || '%'
  AND (?::text IS NULL OR h.metadata ->> 'tenant' = ?::text)
  AND NOT EXISTS (
    SELECT FROM unnest(h.depends_on) AS d (parent)
    WHERE NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)
      AND NOT EXISTS (SELECT FROM {schema}.muster_job_history p WHERE p.id = d.parent AND p.status = 'completed' OFFSET 0))
LIMIT ?
