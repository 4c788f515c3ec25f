-- Takes back what had ended before. The insert found no live row, so a job that existed had left for history by then, and the
-- later snapshot of this statement sees it there. By the primary key, and along index muster_job_history_id.
DELETE FROM {schema}.muster_jobs j
WHERE j.id = ANY (?) AND EXISTS (SELECT FROM {schema}.muster_job_history h WHERE h.id = j.id) RETURNING j.id
