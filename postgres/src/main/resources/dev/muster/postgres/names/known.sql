-- Names of jobs and queues that occur in the database, to suggest one for an unknown name: from handlers and crons, from the jobs
-- enqueued last, from queues that were paused or that nodes serve, and from the metrics of the last day. A queue that was only
-- paused does not count as used, because pausing a mistyped name adds it. The drivers of runs are not jobs that somebody could mean; their
-- queues count. Reads a bounded number of rows along indexes.
SELECT DISTINCT CASE WHEN known.{no_driver} THEN known.name END AS name, known.queue, known.used
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
