-- Drops the oldest day of a table if it is older than this; returns its name, or null.
SELECT {schema}.muster_drop_day(?, ? * interval '1 millisecond')
