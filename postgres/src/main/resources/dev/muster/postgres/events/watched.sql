-- What there is now of some jobs: along the primary key of muster_jobs, index muster_job_history_id for those that are not live, and index
-- muster_job_logs_job. One snapshot sees a job in exactly one of the two tables.
SELECT job.id, job.status, job.attempt, job.node_id, job.progress,
       (SELECT count(*) FROM (SELECT FROM {schema}.muster_job_logs l WHERE l.job_id = job.id LIMIT ?) line) AS log_lines
FROM unnest(?::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
  SELECT j.id, j.status, j.attempt, j.node_id, j.progress FROM {schema}.muster_jobs j WHERE j.id = wanted.id
  UNION ALL
  (SELECT h.id, h.status, h.attempt, h.node_id, h.progress FROM {schema}.muster_job_history h
   WHERE h.id = wanted.id AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = wanted.id)
   ORDER BY h.finished_at DESC LIMIT 1)) job
