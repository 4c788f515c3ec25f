-- Jobs by their newest ids, live and ended. The filter names ids, tags, metadata or a batch, which have an index.
(SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, error, key, tags, progress,
        progress_message, run_at, created_at, started_at, expires_at, timeout_ms, batch_id, {jobs/parts/metadata}, NULL::jsonb AS result,
        NULL::timestamptz AS finished_at, rank
 FROM {schema}.muster_jobs{where} ORDER BY id DESC LIMIT ?)
UNION ALL
(SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, error, key, tags, progress,
        progress_message, run_at, created_at, started_at, expires_at, timeout_ms, batch_id, {jobs/parts/metadata}, result, finished_at, NULL
 FROM {schema}.muster_job_history{where} ORDER BY id DESC LIMIT ?)
ORDER BY id DESC LIMIT ?
