-- Adds jobs that are due at once; see JobCopy.
COPY {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, ready_at, args, key, max_attempts, max_crashes, timeout_ms, metadata, tags)
FROM STDIN WITH (ENCODING 'UTF8')
