-- Admits jobs of these groups; it waits for their rows in muster_concurrency_groups. Along index muster_jobs_concurrency_group.
SELECT a.concurrency_group, a.queue, a.capability, a.next_ms FROM {schema}.muster_admit(?::text[], ?, ?) a
