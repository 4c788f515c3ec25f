-- The jobs that a job depends on, with their current status; at most a hundred.
SELECT d.parent, d.any_outcome,
       coalesce((SELECT p.status FROM {schema}.muster_jobs p WHERE p.id = d.parent),
                (SELECT p.status FROM {schema}.muster_job_history p WHERE p.id = d.parent
                 ORDER BY p.finished_at DESC LIMIT 1)) AS status
FROM (SELECT unnest(?::uuid[]) AS parent, false AS any_outcome UNION ALL SELECT unnest(?::uuid[]), true LIMIT 100) d
