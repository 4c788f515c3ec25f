-- Lets tasks wait again, each with the id of a new job.
UPDATE {schema}.muster_graph_tasks t
SET status = 'waiting', job_id = n.job_id, attempt = 0, result = NULL, error = NULL, reason = NULL, cancel_reason = NULL, node_id = NULL, started_at = NULL,
    finished_at = NULL
FROM unnest(?::int[], ?::uuid[]) AS n (number, job_id)
WHERE t.graph_id = ? AND t.number = n.number
