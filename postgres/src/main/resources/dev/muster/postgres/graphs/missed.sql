-- Tasks with a job, from one on, and whether their job is still live and does not know that its task was cancelled. Along index
-- muster_graph_tasks_enqueued.
SELECT t.graph_id, t.number, t.job_id, j.live, j.live AND t.cancel_reason IS NOT NULL AND NOT j.cancel_requested AS to_cancel
FROM (SELECT t.graph_id, t.number, t.job_id, t.cancel_reason FROM {schema}.muster_graph_tasks t
      WHERE t.status = 'enqueued' AND (t.graph_id, t.number) > (?, ?)
      ORDER BY t.graph_id, t.number
      LIMIT ?) t
CROSS JOIN LATERAL (
  SELECT count(*) > 0 AS live, coalesce(bool_or(j.cancel_requested), false) AS cancel_requested
  FROM {schema}.muster_jobs j WHERE j.id = t.job_id) j
ORDER BY t.graph_id, t.number
