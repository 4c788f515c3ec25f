-- The next minute without metrics, and for how many milliseconds it has been ready to be written. A minute is ready half a minute
-- after its end, when every transaction that ended a job in it has committed. After a long gap only the last 6 hours are caught up.
-- The lock lets one transaction at a time write metrics, whoever leads. The first entry of index muster_jobs_ready tells whether any
-- job is pending, due or not. Also makes the settings for minute.sql, which an idle leader would otherwise send as a statement of their own.
SELECT n.minute,
       (date_part('epoch', {schema}.muster_clock() - n.minute) * 1000)::bigint - 90000 AS ready_ms,
       EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.ready_at < 'infinity' AND j.status = 'pending') AS pending,
       {maintenance/parts/many_rows}, set_config('enable_seqscan', 'off', true), set_config('statement_timeout', ?, true)
FROM (SELECT greatest(p.done_to,
                      to_timestamp(floor(date_part('epoch', {schema}.muster_clock()) / 60) * 60 - 6 * 3600)) AS minute
      FROM {schema}.muster_metrics_progress p FOR UPDATE) n
