-- Remembers that a minute stays without figures. The table has one row.
UPDATE {schema}.muster_metrics_progress SET done_to = ?
