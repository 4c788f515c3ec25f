-- The newest jobs first; ids ascend with time.
(SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, NULL::jsonb AS result,
        error, key, tags, progress, progress_message, metadata, run_at, created_at, started_at, NULL::timestamptz AS finished_at
 FROM {schema}.muster_jobs
 WHERE (?::text[] IS NULL OR status = ANY (?::text[])) AND (?::text IS NULL OR name = ?) AND (?::text IS NULL OR queue = ?)
 ORDER BY id DESC LIMIT ?)
UNION ALL
(SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, result,
        error, key, tags, progress, progress_message, metadata, run_at, created_at, started_at, finished_at
 FROM {schema}.muster_job_history
 WHERE (?::text[] IS NULL OR status = ANY (?::text[])) AND (?::text IS NULL OR name = ?) AND (?::text IS NULL OR queue = ?)
 ORDER BY id DESC LIMIT ?)
ORDER BY id DESC LIMIT ?
