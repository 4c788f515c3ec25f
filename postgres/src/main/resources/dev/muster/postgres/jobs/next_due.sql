-- The time until the next job for this node becomes due in these lanes, among those that are not due yet, along index muster_jobs_ready;
-- or a shorter time, at which the node has to ask again: in each lane and rank the search ends after a hundred jobs for other nodes, or at
-- the first job that is due in more than two minutes, whomever it is for.
SELECT (date_part('epoch', min(next.ready_at) - {schema}.muster_clock()) * 1000)::bigint AS due_ms
FROM unnest(?::smallint[], ?::text[], ?::text[]) AS lane (rank, queue, capability)
CROSS JOIN LATERAL (
  SELECT w.ready_at
  FROM (
    SELECT j.ready_at, row_number() OVER (ORDER BY j.ready_at) AS ordinal,
           (?::text[] IS NULL OR j.name = ANY (?::text[])) AS mine
    FROM {schema}.muster_jobs j
    WHERE j.status = 'pending' AND j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank
      AND j.ready_at > {schema}.muster_statement_clock() AND j.ready_at < 'infinity'
    ORDER BY j.ready_at LIMIT 100) w
  WHERE w.mine OR w.ordinal = 100 OR w.ready_at > {schema}.muster_statement_clock() + interval '2 minutes'
  LIMIT 1) next
