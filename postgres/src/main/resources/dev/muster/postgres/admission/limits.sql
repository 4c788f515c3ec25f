-- The limits that handlers declare for the groups of their jobs.
SELECT name, max_concurrent, rate, rate_ms, coalesce(burst, 1) AS burst, key_path, ordered FROM {schema}.muster_concurrency_limits
