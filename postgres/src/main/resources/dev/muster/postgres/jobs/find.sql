-- One job, live or ended. One snapshot sees it in exactly one of the two tables.
SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, {schema}.muster_text(args) AS args, NULL::text AS result,
       error, key, tags, progress, progress_message, {jobs/parts/metadata}, run_at, created_at, started_at, NULL::timestamptz AS finished_at,
       expires_at, timeout_ms, depends_on, depends_on_any, batch_id, rank, trace, ready_at <= {schema}.muster_clock() AS due
FROM {schema}.muster_jobs WHERE id = ?
UNION ALL
SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, {schema}.muster_text(args), {schema}.muster_text(result),
       error, key, tags, progress, progress_message, {jobs/parts/metadata}, run_at, created_at, started_at, finished_at,
       expires_at, timeout_ms, depends_on, depends_on_any, batch_id, NULL, trace, false
FROM {schema}.muster_job_history WHERE id = ?
