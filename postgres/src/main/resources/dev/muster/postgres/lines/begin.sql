-- Asks whether jobs of these lines may begin now. Along the primary key of muster_line_begins.
SELECT b.place, b.wait_ms, b.later FROM {schema}.muster_begin_jobs(?::text[], ?::double precision) b ORDER BY b.place
