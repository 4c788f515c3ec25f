-- Views for people with psql; nodes read none of them. They stay fast beside millions of jobs that are not due, because they use the
-- indexes of the jobs that they show.

CREATE OR REPLACE VIEW muster_job_overview AS
SELECT name, queue, status, count(*) AS jobs, min(run_at) AS oldest_run_at, max(attempt) AS max_attempt, max(crashes) AS max_crashes
FROM muster_jobs GROUP BY name, queue, status
UNION ALL
SELECT name, queue, status, count(*), min(run_at), max(attempt), max(crashes)
FROM muster_job_history GROUP BY name, queue, status;
COMMENT ON VIEW muster_job_overview IS 'How many jobs of which name are where. Counts every live and every ended job: with many of them see muster_queue_metrics and muster_job_metrics.';

-- Late jobs are found by jumping along index muster_jobs_ready from lane to lane and rank to rank; within each, late jobs come first.
-- Claimed and running jobs are those that muster_claims names; waiting jobs have their own index.
CREATE OR REPLACE VIEW muster_stuck AS
WITH RECURSIVE lane AS (
  (SELECT j.queue, j.capability, j.rank FROM muster_jobs j WHERE j.ready_at < 'infinity'
   ORDER BY j.queue, j.capability, j.rank LIMIT 1)
  UNION ALL
  SELECT next.queue, next.capability, next.rank
  FROM lane
  CROSS JOIN LATERAL (
    SELECT j.queue, j.capability, j.rank FROM muster_jobs j
    WHERE j.ready_at < 'infinity' AND (j.queue, j.capability, j.rank) > (lane.queue, lane.capability, lane.rank)
    ORDER BY j.queue, j.capability, j.rank LIMIT 1) next),
live AS MATERIALIZED (
  SELECT n.id, n.handlers, n.capabilities, n.labels FROM muster_verdicts() v JOIN muster_nodes n ON n.id = v.id WHERE v.verdict <> 'dead')
SELECT j.id, j.name, j.queue, j.status, j.attempt, j.crashes, j.node_id, j.run_at, j.lease_until,
       'its lease ran out and nobody has taken it over' AS reason
FROM muster_jobs j
WHERE j.id = ANY (ARRAY (SELECT unnest(c.ids) FROM muster_claims c))
  AND j.status IN ('claimed', 'running') AND j.lease_until < muster_statement_clock() - interval '1 minute'
UNION ALL
SELECT late.id, late.name, late.queue, late.status, late.attempt, late.crashes, late.node_id, late.run_at, late.lease_until,
       CASE WHEN q.paused_at IS NOT NULL THEN 'its queue is paused'
            WHEN NOT EXISTS (SELECT FROM live WHERE live.handlers -> late.name IS NOT NULL)
              THEN 'no live node has a handler for it'
            WHEN late.capability <> '' AND NOT EXISTS (
                SELECT FROM live WHERE live.handlers -> late.name IS NOT NULL
                  AND muster_fits(late.capability, live.capabilities, live.labels, live.id))
              THEN 'no live node with a handler fits its placement ''' || late.capability || ''''
            ELSE 'it has been due for over a minute' END
FROM lane
CROSS JOIN LATERAL (
  SELECT j.* FROM muster_jobs j
  WHERE j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank AND j.status = 'pending'
    AND j.ready_at < muster_statement_clock() - interval '1 minute' AND j.ready_at < 'infinity'
  ORDER BY j.ready_at LIMIT 1000) late
LEFT JOIN muster_queues q ON q.name = lane.queue
UNION ALL
SELECT j.id, j.name, j.queue, j.status, j.attempt, j.crashes, j.node_id, j.run_at, j.lease_until,
       'everything it waits for has ended'
FROM muster_jobs j
WHERE j.ready_at = 'infinity' AND j.group_position IS NULL AND j.status = 'waiting' AND j.created_at < muster_statement_clock() - interval '1 minute'
  AND NOT EXISTS (
    SELECT FROM muster_job_dependencies d JOIN muster_jobs p ON p.id = d.parent WHERE d.child = j.id);
COMMENT ON VIEW muster_stuck IS 'Live jobs that should have moved on by now, and what may hold them; of pending ones at most the 1,000 oldest per queue, capability and rank.';

-- The jobs of each node are looked up by id. A dead node runs none.
CREATE OR REPLACE VIEW muster_cluster AS
SELECT n.id, n.name, v.verdict AS status, muster_clock() - v.seen AS silent_for, n.heartbeat_interval,
       n.roles, n.queues, n.capabilities, n.address, coalesce(h.jobs, 0) AS jobs_held,
       CASE WHEN v.verdict = 'dead' THEN 0 ELSE n.current_jobs END AS jobs_running,
       n.cpu_usage, n.memory_usage, n.current_connections,
       ARRAY (SELECT l.role FROM muster_leaders l
              WHERE l.node_id = n.id AND l.incarnation = n.incarnation AND l.expires_at > muster_clock() ORDER BY 1) AS leads,
       n.started_at, n.version, n.executors
FROM muster_nodes n
JOIN muster_verdicts() v ON v.id = n.id
LEFT JOIN (SELECT c.node_id, count(DISTINCT j.id) AS jobs
           FROM muster_claims c CROSS JOIN LATERAL unnest(c.ids) AS claimed (id)
           JOIN muster_jobs j ON j.id = ANY (ARRAY[claimed.id]) AND j.node_id = c.node_id
           GROUP BY 1) h ON h.node_id = n.id
ORDER BY n.id;
COMMENT ON VIEW muster_cluster IS 'The nodes: status by each one''s own interval and the thresholds in muster_settings, jobs held, and what it leads.';

CREATE OR REPLACE VIEW muster_job_metrics AS
SELECT minute, queue, name, completed, failed, cancelled, expired, run_p50_ms, run_p95_ms, run_p99_ms,
       wait_p50_ms, wait_p95_ms, wait_p99_ms, depth
FROM muster_metrics WHERE name <> '';
COMMENT ON VIEW muster_job_metrics IS 'Figures per minute, queue and job name.';
CREATE OR REPLACE VIEW muster_queue_metrics AS
SELECT minute, queue, completed, failed, cancelled, expired, run_p50_ms, run_p95_ms, run_p99_ms,
       wait_p50_ms, wait_p95_ms, wait_p99_ms, depth
FROM muster_metrics WHERE name = '';
COMMENT ON VIEW muster_queue_metrics IS 'Figures per minute and queue.';
