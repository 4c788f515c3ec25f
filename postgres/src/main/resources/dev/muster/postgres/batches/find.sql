-- One batch with its counts. One snapshot sees each of its jobs in exactly one of the two tables. Along the indexes of batches.
{batches/parts/columns},
       b.live + coalesce(live.jobs, 0) AS live, b.completed + coalesce(ended.completed, 0) AS completed,
       b.failed + coalesce(ended.failed, 0) AS failed, b.cancelled + coalesce(ended.cancelled, 0) AS cancelled,
       b.expired + coalesce(ended.expired, 0) AS expired
FROM {schema}.muster_batches b
LEFT JOIN LATERAL (
  SELECT count(*) AS jobs FROM {schema}.muster_jobs j WHERE j.batch_id = b.id AND j.id IS DISTINCT FROM b.deciding_job) live
  ON b.closed_at IS NULL
LEFT JOIN LATERAL (
  SELECT count(*) FILTER (WHERE h.status = 'completed') AS completed, count(*) FILTER (WHERE h.status = 'failed') AS failed,
         count(*) FILTER (WHERE h.status = 'cancelled') AS cancelled, count(*) FILTER (WHERE h.status = 'expired') AS expired
  FROM {schema}.muster_job_history h WHERE h.batch_id = b.id AND (b.deciding_job IS NULL OR h.id <> b.deciding_job)) ended
  ON b.closed_at IS NULL
WHERE b.id = ?
