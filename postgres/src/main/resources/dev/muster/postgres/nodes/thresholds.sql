-- Stores the thresholds of the joining node for muster_verdicts(), in the table's only row. Changes nothing if they are the same.
INSERT INTO {schema}.muster_settings AS s (stale_threshold, dead_threshold)
SELECT ? * interval '1 millisecond', ? * interval '1 millisecond'
ON CONFLICT (only_row) DO UPDATE SET stale_threshold = excluded.stale_threshold, dead_threshold = excluded.dead_threshold
WHERE (s.stale_threshold, s.dead_threshold) IS DISTINCT FROM (excluded.stale_threshold, excluded.dead_threshold)
