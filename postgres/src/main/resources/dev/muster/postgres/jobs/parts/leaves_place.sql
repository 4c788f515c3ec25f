-- Whether a job j that does not run for a while leaves its place in its line: it was admitted, and the line is not ordered.
(j.line IS NOT NULL AND j.ready_at < 'infinity' AND NOT {schema}.muster_is_ordered(j.line))
