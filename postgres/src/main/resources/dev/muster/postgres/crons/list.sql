-- All crons, for people. Along the primary key. Args behind the first 16 MB of them, as they are stored, are left out.
SELECT c.name, c.expression, c.zone, c.misfire, c.catch_up_limit, c.overlap, c.jitter_ms, c.job_name,
       CASE WHEN c.size <= 16777216 THEN {schema}.muster_text(c.args) ELSE ? END AS args, c.queue, c.capability, c.priority, c.max_attempts,
       c.max_crashes, c.timeout_ms, c.source, c.paused_at, c.gone_at,
       CASE WHEN c.paused_at IS NULL AND c.gone_at IS NULL THEN c.next_tick END AS next_tick, c.last_tick, c.last_job, c.problem, c.updated_at
FROM (SELECT k.*, sum(pg_column_size(k.args)) OVER (ORDER BY k.name) AS size FROM {schema}.muster_crons k) c
ORDER BY c.name
