-- The time until the next job in these lanes becomes due, among those that are not due yet.
SELECT (date_part('epoch', min(next.ready_at) - {schema}.muster_clock()) * 1000)::bigint AS due_ms
FROM unnest(?::smallint[], ?::text[], ?::text[]) AS lane (rank, queue, capability)
CROSS JOIN LATERAL (
  SELECT j.ready_at FROM {schema}.muster_jobs j
  WHERE j.status = 'pending' AND j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank
    AND j.ready_at > {schema}.muster_statement_clock() AND j.ready_at < 'infinity'
  ORDER BY j.ready_at LIMIT 1) next
