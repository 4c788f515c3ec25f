-- Tasks with a job, from one on, and whether their job is still live and nobody has told it that its graph was cancelled. Along index
-- muster_graph_tasks_enqueued.
SELECT t.graph_id, t.number, t.job_id, j.live, j.live AND g.cancel_requested AND NOT j.cancel_requested AS to_cancel
FROM (SELECT t.graph_id, t.number, t.job_id FROM {schema}.muster_graph_tasks t
      WHERE t.status = 'enqueued' AND (t.graph_id, t.number) > (?, ?)
      ORDER BY t.graph_id, t.number
      LIMIT ?) t
JOIN {schema}.muster_graphs g ON g.id = t.graph_id
CROSS JOIN LATERAL (
  SELECT count(*) > 0 AS live, coalesce(bool_or(j.cancel_requested), false) AS cancel_requested
  FROM {schema}.muster_jobs j WHERE j.id = t.job_id) j
ORDER BY t.graph_id, t.number
