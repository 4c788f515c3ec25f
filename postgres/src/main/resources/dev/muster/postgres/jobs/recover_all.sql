-- Puts every claimed job back in line: for the only worker of a cluster, at its start. What was running is charged a
-- crash, and may be a dead letter, by the same rule as in recover.sql, which the caller runs next.
UPDATE {schema}.muster_jobs SET lease_until = {schema}.muster_clock() - interval '1 second' WHERE token IS NOT NULL
