-- Asks whether jobs of these groups may begin now. Along the primary key of muster_concurrency_begins.
SELECT b.ordinal, b.wait_ms, b.later FROM {schema}.muster_begin_jobs(?::text[], ?::double precision) b ORDER BY b.ordinal
