-- The metrics of each of some minutes up to the last one that was written, by queue, for the queues with the most jobs. Along the primary
-- key of muster_metrics. Without a row for a minute, one row tells which minutes they are.
WITH span AS MATERIALIZED (
  SELECT p.done_to, p.done_to - ? * interval '1 minute' AS first_minute FROM {schema}.muster_metrics_progress p),
found AS MATERIALIZED (
  SELECT m.*, sum(m.completed + m.failed + m.cancelled + m.expired) OVER (PARTITION BY m.queue) AS jobs
  FROM {schema}.muster_metrics m
  WHERE m.minute >= (SELECT first_minute FROM span) AND m.minute < (SELECT done_to FROM span) AND m.name = ''{queue}),
busiest AS MATERIALIZED (
  SELECT found.*, dense_rank() OVER (ORDER BY found.jobs DESC, found.queue) AS ordinal FROM found)
SELECT span.first_minute, span.done_to, b.minute, b.queue, b.completed, b.failed, b.cancelled, b.expired,
       b.run_p50_ms, b.run_p95_ms, b.wait_p50_ms, b.wait_p95_ms, b.depth
FROM span
LEFT JOIN busiest b ON b.ordinal <= ?
ORDER BY b.queue, b.minute
