-- The metrics of the last minutes, all queues together, a row for each minute. Along the primary key of muster_metrics. A minute is written
-- half a minute to one and a half minutes after its end; if nobody has written any for longer, the minutes continue, and are empty.
SELECT span.minute, coalesce(sum(m.completed), 0) AS completed, coalesce(sum(m.failed), 0) AS failed,
       coalesce(sum(m.cancelled), 0) AS cancelled, coalesce(sum(m.expired), 0) AS expired,
       sum(m.run_p50_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.run_p50_ms IS NOT NULL) AS run_p50_ms,
       sum(m.run_p95_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.run_p95_ms IS NOT NULL) AS run_p95_ms,
       sum(m.wait_p50_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.wait_p50_ms IS NOT NULL) AS wait_p50_ms,
       sum(m.wait_p95_ms * w.jobs) / sum(w.jobs) FILTER (WHERE m.wait_p95_ms IS NOT NULL) AS wait_p95_ms,
       CASE WHEN count(m.queue) = 0 AND span.written THEN 0 ELSE sum(m.depth)::bigint END AS depth
FROM (SELECT last.minute, last.minute < last.done_to AS written
      FROM (SELECT p.done_to,
                   greatest(p.done_to, to_timestamp(floor(date_part('epoch', {schema}.muster_statement_clock()) / 60) * 60 - 120))
                     - n * interval '1 minute' AS minute
            FROM {schema}.muster_metrics_progress p, generate_series(1, ?) AS n) last) span
LEFT JOIN {schema}.muster_metrics m ON m.minute = span.minute AND m.name = ''
LEFT JOIN LATERAL (SELECT greatest(1, m.completed + m.failed + m.cancelled + m.expired) AS jobs) w ON true
GROUP BY span.minute, span.written
ORDER BY span.minute
