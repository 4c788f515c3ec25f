-- What the inputs of a task are made of, by its job: first the task with its inputs, and how large the results are together that they name,
-- then the parents that have them; none if the results are too large. The inputs come once: with each parent they would grow with the
-- square of their number. Large results are stored compressed, and what counts is how large they are in memory; but what is too large
-- already as it is stored is not even unpacked. Along index muster_graph_tasks_job and the primary key.
WITH task AS MATERIALIZED (
  SELECT t.graph_id, t.task_id, t.inputs, t.takes_from FROM {schema}.muster_graph_tasks t WHERE t.job_id = ?),
stored AS MATERIALIZED (
  SELECT coalesce(sum(pg_column_size(p.result)), 0)::bigint AS bytes
  FROM task JOIN {schema}.muster_graph_tasks p ON p.graph_id = task.graph_id AND p.number = ANY (task.takes_from)),
size AS MATERIALIZED (
  SELECT CASE WHEN stored.bytes > ? THEN stored.bytes
              ELSE (SELECT coalesce(sum(octet_length({schema}.muster_text(p.result))), 0)::bigint
                    FROM task JOIN {schema}.muster_graph_tasks p ON p.graph_id = task.graph_id AND p.number = ANY (task.takes_from)) END AS bytes
  FROM stored)
SELECT task.graph_id, task.task_id, {schema}.muster_text(task.inputs) AS inputs, size.bytes, NULL AS parent, NULL AS status, NULL::uuid AS job_id,
       NULL AS result
FROM task CROSS JOIN size
UNION ALL
SELECT task.graph_id, task.task_id, NULL, NULL, p.task_id, p.status, p.job_id, {schema}.muster_text(p.result)
FROM task JOIN {schema}.muster_graph_tasks p ON p.graph_id = task.graph_id AND p.number = ANY (task.takes_from)
WHERE (SELECT size.bytes FROM size) <= ?
