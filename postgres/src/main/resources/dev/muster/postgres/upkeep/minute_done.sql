-- Remembers up to which minute the figures are written. The table has one row.
UPDATE {schema}.muster_metrics_progress SET done_to = ?
