-- The rate limits whose window is not over, the most used first, of the first rows of the table along its primary key.
SELECT r.key, r.window_ms, r.used, r.window_start + r.window_ms * interval '1 millisecond' AS resets_at
FROM (SELECT * FROM {schema}.muster_rate_limits ORDER BY key, window_ms LIMIT ?) r
WHERE r.window_start + r.window_ms * interval '1 millisecond' > {schema}.muster_statement_clock()
ORDER BY r.used DESC, r.key
LIMIT ?
