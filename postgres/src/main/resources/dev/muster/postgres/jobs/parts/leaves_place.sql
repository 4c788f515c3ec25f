-- Whether a job j that does not run for a while leaves its place in its group: it was admitted, and the group is not ordered.
(j.concurrency_group IS NOT NULL AND j.ready_at < 'infinity' AND NOT {schema}.muster_is_ordered(j.concurrency_group))
