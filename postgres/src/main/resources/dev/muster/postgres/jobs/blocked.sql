-- The parents that will never free these waiting jobs: they had to complete and ended otherwise, or are gone from history.
SELECT d.child, d.parent, p.name, p.status
FROM {schema}.muster_job_dependencies d
LEFT JOIN LATERAL (SELECT h.name, h.status FROM {schema}.muster_job_history h WHERE h.id = d.parent
                   ORDER BY h.finished_at DESC LIMIT 1) p ON true
WHERE d.child = ANY (?::uuid[]) AND NOT d.any_outcome AND p.status IS DISTINCT FROM 'completed'
  AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = d.parent OFFSET 0)
ORDER BY d.child, d.parent
LIMIT 1
