-- Moves the drivers in ended to history.
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, token, {schema}.muster_clock(), started_at, crashes,
         CASE outcome WHEN 'completed' THEN 'completed' WHEN 'cancelled_by_operator' THEN 'cancelled' ELSE 'failed' END,
         node_id, failure, NULL
  FROM ended)
