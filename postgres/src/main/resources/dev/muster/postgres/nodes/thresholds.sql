-- Stores the thresholds of the joining node for muster_verdicts(). Locks nothing if they are unchanged.
UPDATE {schema}.muster_settings s SET stale_threshold = own.stale, dead_threshold = own.dead
FROM (SELECT ? * interval '1 millisecond' AS stale, ? * interval '1 millisecond' AS dead) own
WHERE (s.stale_threshold, s.dead_threshold) IS DISTINCT FROM (own.stale, own.dead)
