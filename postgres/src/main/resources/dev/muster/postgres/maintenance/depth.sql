-- Adds how many jobs are due and not claimed to the minute's other metrics. Reads the live table once.
INSERT INTO {schema}.muster_metrics AS m (minute, queue, name, depth)
SELECT ?, j.queue, coalesce(j.name, ''), count(*)
FROM {schema}.muster_jobs j
WHERE j.status = 'pending' AND j.ready_at <= {schema}.muster_statement_clock()
GROUP BY GROUPING SETS ((j.queue, j.name), (j.queue))
ON CONFLICT (minute, queue, name) DO UPDATE SET depth = excluded.depth
