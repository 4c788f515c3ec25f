-- Where nothing was due there is a depth as well: none.
UPDATE {schema}.muster_metrics SET depth = 0 WHERE minute = ? AND depth IS NULL
