-- The limits that handlers declare for the lines of their jobs.
SELECT name, max_concurrent, rate, rate_ms, burst, key_path, ordered FROM {schema}.muster_line_limits
