UPDATE {schema}.muster_metrics_progress SET done_to = ?
