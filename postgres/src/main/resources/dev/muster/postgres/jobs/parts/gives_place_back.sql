-- Whether a job j that goes back with an outcome o leaves its place in its group: the next attempt comes later, and the group is not ordered.
(j.concurrency_group IS NOT NULL AND o.delay_ms IS NOT NULL AND NOT {schema}.muster_is_ordered(j.concurrency_group))
