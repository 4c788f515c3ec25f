-- Adds jobs that are due at once, some of them with a trace or to batches; see JobCopy.
COPY {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, ready_at, args, key, max_attempts, max_crashes, timeout_ms, metadata, tags, batch_id, trace)
FROM STDIN WITH (ENCODING 'UTF8')
