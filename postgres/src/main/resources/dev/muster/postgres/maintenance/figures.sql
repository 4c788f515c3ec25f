-- The metrics of some minutes up to the last one that was written, summed by queue (with an empty name) and by queue and job name,
-- along the primary key of muster_metrics.
SELECT m.queue, m.name, span.first_minute, span.done_to,
       (date_part('epoch', {schema}.muster_statement_clock() - span.done_to) * 1000)::bigint AS age_ms,
       sum(m.completed) AS completed, sum(m.failed) AS failed, sum(m.cancelled) AS cancelled, sum(m.expired) AS expired,
       sum(m.run_p50_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.run_p50_ms IS NOT NULL) AS run_p50,
       sum(m.run_p95_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.run_p95_ms IS NOT NULL) AS run_p95,
       max(m.run_p95_ms) AS run_worst,
       sum(m.wait_p50_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.wait_p50_ms IS NOT NULL) AS wait_p50,
       sum(m.wait_p95_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.wait_p95_ms IS NOT NULL) AS wait_p95,
       max(m.wait_p95_ms) AS wait_worst,
       coalesce(sum(m.depth) FILTER (WHERE m.minute = span.done_to - interval '1 minute'), 0) AS depth
FROM (SELECT p.done_to, p.done_to - ? * interval '1 minute' AS first_minute FROM {schema}.muster_metrics_progress p) span
LEFT JOIN {schema}.muster_metrics m ON m.minute >= span.first_minute AND m.minute < span.done_to
LEFT JOIN LATERAL (SELECT greatest(1, m.completed + m.failed + m.cancelled + m.expired) AS jobs) w ON true
GROUP BY m.queue, m.name, span.first_minute, span.done_to
ORDER BY m.queue, m.name
