-- Waiting jobs, from an id on, with a parent that has ended or without any edge left: the end of the parent was missed because of a
-- late commit.
SELECT j.id, NOT EXISTS (
         SELECT FROM {schema}.muster_job_dependencies d
         WHERE d.child = j.id AND EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0))
       OR EXISTS (
         SELECT FROM {schema}.muster_job_dependencies d
         WHERE d.child = j.id AND NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)) AS overdue
FROM {schema}.muster_jobs j
WHERE j.ready_at = 'infinity' AND j.group_position IS NULL AND j.id > ?
ORDER BY j.id
LIMIT ?
