-- Names of jobs and of queues that have been heard of, to suggest one for a name that nobody knows: of handlers and crons,
-- of jobs that were enqueued last, of queues that were steered or that nodes were told to serve, and from the figures of the
-- last day. A queue that was only steered is not in use: whoever pauses it by a mistyped name makes it known by that. A
-- bounded number of rows, along indexes.
SELECT DISTINCT known.name, known.queue, known.used
FROM (
  SELECT h.key AS name, coalesce(h.value ->> 'queue', 'default') AS queue, true AS used
  FROM {schema}.muster_nodes n, jsonb_each(n.handlers) h
  UNION ALL
  SELECT NULL, served, true FROM {schema}.muster_nodes n, unnest(n.queues) AS served
  UNION ALL
  SELECT c.job_name, c.queue, true FROM {schema}.muster_crons c
  UNION ALL
  SELECT NULL, q.name, false FROM {schema}.muster_queues q
  UNION ALL
  (SELECT j.name, j.queue, true FROM {schema}.muster_jobs j ORDER BY j.id DESC LIMIT 1000)
  UNION ALL
  (SELECT nullif(m.name, ''), m.queue, true FROM {schema}.muster_metrics m
   WHERE m.minute > {schema}.muster_statement_clock() - interval '1 day' ORDER BY m.minute DESC LIMIT 20000)) known
