-- Queues with live jobs, paused queues and limited queues, with their counts. Counts are limited, so that the answer is fast even beside
-- millions of jobs: at most 10,000 pending jobs per queue, fewer if there are many queues, and at most 50,000 in total. Queues, and where
-- their due jobs begin, are found by jumping along index muster_jobs_ready from lane to lane and rank to rank. Jobs that are due are
-- counted first, then those that are due later. A run counts while it is due: one that sleeps or waits for something keeps nobody busy. So
-- however many runs sleep, all that is due is counted. OFFSET 0 lets the planner look into one lane at a time. Claimed and running jobs are
-- those that muster_claims names; jobs that wait for others, and jobs of groups, have their own indexes.
WITH RECURSIVE lane AS (
  (SELECT j.queue, j.capability, j.rank FROM {schema}.muster_jobs j WHERE j.ready_at < 'infinity'
   ORDER BY j.queue, j.capability, j.rank LIMIT 1)
  UNION ALL
  SELECT next.queue, next.capability, next.rank
  FROM lane
  CROSS JOIN LATERAL (
    SELECT j.queue, j.capability, j.rank FROM {schema}.muster_jobs j
    WHERE j.ready_at < 'infinity' AND (j.queue, j.capability, j.rank) > (lane.queue, lane.capability, lane.rank)
    ORDER BY j.queue, j.capability, j.rank LIMIT 1) next),
due AS MATERIALIZED (
  SELECT lane.queue, min(first.ready_at) AS oldest, array_agg(lane.capability) AS capabilities, array_agg(lane.rank) AS ranks
  FROM lane
  LEFT JOIN LATERAL (
    SELECT j.ready_at FROM {schema}.muster_jobs j
    WHERE j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank
      AND j.ready_at <= {schema}.muster_statement_clock() AND j.ready_at < 'infinity' AND j.status = 'pending'
    ORDER BY j.ready_at LIMIT 1) first ON true
  GROUP BY lane.queue),
most AS MATERIALIZED (
  SELECT greatest(100, least(10000, 50000 / greatest(count(*), 1)))::int AS jobs FROM due),
pending AS (
  SELECT due.queue, due.oldest, found.jobs, found.looked_at, most.jobs AS most
  FROM due
  CROSS JOIN most
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE job.counts) AS jobs, count(*) AS looked_at FROM (
      SELECT one.counts FROM unnest(due.capabilities, due.ranks) AS lane (capability, rank)
      CROSS JOIN LATERAL (
        SELECT true AS counts FROM {schema}.muster_jobs j
        WHERE j.queue = due.queue AND j.capability = lane.capability AND j.rank = lane.rank
          AND j.ready_at <= {schema}.muster_statement_clock() AND j.ready_at < 'infinity' AND j.status = 'pending' OFFSET 0) one
      UNION ALL
      SELECT one.counts FROM unnest(due.capabilities, due.ranks) AS lane (capability, rank)
      CROSS JOIN LATERAL (
        SELECT {no_driver} AS counts FROM {schema}.muster_jobs j
        WHERE j.queue = due.queue AND j.capability = lane.capability AND j.rank = lane.rank
          AND j.ready_at > {schema}.muster_statement_clock() AND j.ready_at < 'infinity' AND j.status = 'pending' OFFSET 0) one
      LIMIT most.jobs + 1) job) found),
named AS MATERIALIZED (
  SELECT c.node_id, named.id FROM {schema}.muster_claims c CROSS JOIN LATERAL unnest(c.ids) AS named (id) LIMIT 50001),
held AS (
  SELECT DISTINCT j.id, j.queue, j.status
  FROM named
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = named.node_id),
waits AS MATERIALIZED (
  (SELECT j.queue FROM {schema}.muster_jobs j WHERE j.ready_at = 'infinity' AND j.group_position IS NULL LIMIT 10001)
  UNION ALL
  (SELECT j.queue FROM {schema}.muster_jobs j WHERE j.concurrency_group IS NOT NULL AND j.ready_at = 'infinity' AND j.group_position IS NOT NULL LIMIT 10001)),
-- The parts are summed instead of joined: with hash joins off, joining thousands of queues would compare each with each.
part (name, paused_at, waiting, pending, claimed, running, oldest_due, more_pending) AS (
  SELECT queue, NULL::timestamptz, 0, least(jobs, most), 0, 0, oldest, looked_at > most FROM pending WHERE looked_at > 0
  UNION ALL
  SELECT queue, NULL, 0, 0, (status = 'claimed')::int, (status = 'running')::int, NULL, false FROM held
  UNION ALL
  SELECT queue, NULL, 1, 0, 0, 0, NULL, false FROM waits
  UNION ALL
  SELECT q.name, q.paused_at, 0, 0, 0, 0, NULL, false FROM {schema}.muster_queues q WHERE q.paused_at IS NOT NULL OR q.limited),
counted AS MATERIALIZED (
  SELECT name, max(paused_at) AS paused_at, least(sum(waiting), 10000) AS waiting, sum(pending) AS pending, sum(claimed) AS claimed,
         sum(running) AS running, min(oldest_due) AS oldest_due, bool_or(more_pending) AS more_pending
  FROM part
  GROUP BY name)
SELECT counted.*, (SELECT count(*) > 10000 FROM waits) AS more_waiting, (SELECT count(*) > 50000 FROM named) AS more_held,
       q.max_running, q.rate_per, (date_part('epoch', q.rate_interval) * 1000)::bigint AS rate_ms, q.burst
FROM counted
LEFT JOIN {schema}.muster_queues q ON q.name = ANY (ARRAY[counted.name])
ORDER BY counted.name
