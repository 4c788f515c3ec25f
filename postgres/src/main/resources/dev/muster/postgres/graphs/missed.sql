-- Tasks with a job, from one on, and whether their job is still live. Along index muster_graph_tasks_enqueued.
SELECT t.graph_id, t.number, t.job_id, EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = t.job_id OFFSET 0) AS live
FROM {schema}.muster_graph_tasks t
WHERE t.status = 'enqueued' AND (t.graph_id, t.number) > (?, ?)
ORDER BY t.graph_id, t.number
LIMIT ?
