-- Jobs by their newest ids, live and ended. The filter names ids, tags, metadata, a tenant or a batch, which have an index. The texts are
-- made last, for the rows that are fetched.
SELECT l.id, l.name, l.status, l.queue, l.capability, l.priority, l.attempt, l.max_attempts, l.crashes, l.node_id,
       {schema}.muster_text(l.args) AS args, l.error, l.key, l.tags, l.progress, l.progress_message, l.run_at, l.created_at, l.started_at,
       l.expires_at, l.timeout_ms, l.batch_id, l.metadata, CASE WHEN l.result IS NOT NULL THEN {schema}.muster_text(l.result) END AS result, l.finished_at, l.rank
FROM (
  (SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, error, key, tags, progress,
          progress_message, run_at, created_at, started_at, expires_at, timeout_ms, batch_id, {jobs/parts/metadata}, NULL::jsonb AS result,
          NULL::timestamptz AS finished_at, rank
   FROM {schema}.muster_jobs{where} ORDER BY {order} LIMIT ?)
  UNION ALL
  (SELECT id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, error, key, tags, progress,
          progress_message, run_at, created_at, started_at, expires_at, timeout_ms, batch_id, {jobs/parts/metadata}, result, finished_at, NULL
   FROM {schema}.muster_job_history{where} ORDER BY {order} LIMIT ?)
  ORDER BY id DESC LIMIT ?) l
ORDER BY l.id DESC
