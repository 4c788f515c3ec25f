-- What the inputs of a task are made of, by its job: the inputs, and the parents that they name. Along index muster_graph_tasks_job and
-- the primary key.
SELECT t.graph_id, t.task_id, t.inputs::text AS inputs, p.task_id AS parent, p.status, p.job_id, p.result::text AS result
FROM {schema}.muster_graph_tasks t
LEFT JOIN {schema}.muster_graph_tasks p ON p.graph_id = t.graph_id AND p.number = ANY (t.takes_from)
WHERE t.job_id = ?
