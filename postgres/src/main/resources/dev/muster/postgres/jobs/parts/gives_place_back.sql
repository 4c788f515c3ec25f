-- Whether a job j that goes back with an outcome o leaves its place in its line: the next attempt comes later, and the line is not ordered.
(j.line IS NOT NULL AND o.delay_ms IS NOT NULL AND NOT {schema}.muster_is_ordered(j.line))
