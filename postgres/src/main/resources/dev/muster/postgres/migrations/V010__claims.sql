-- Claims that write no index. PostgreSQL updates a row without touching any index if no indexed column changes and the
-- page has room for the new version ("heap-only tuple"). So: nothing that a claim writes stands in an index or in an
-- index's condition, pages are filled to less than half, and a second table tells which rows are claimed.

CREATE TABLE muster_claims (
  node_id     text        NOT NULL,
  batch       bigint      NOT NULL,
  lease_until timestamptz NOT NULL,
  ids         uuid[]      NOT NULL,
  PRIMARY KEY (node_id, batch)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000, toast.autovacuum_vacuum_cost_delay = 0
);
-- Time-ordered ids hardly compress.
ALTER TABLE muster_claims ALTER COLUMN ids SET STORAGE EXTERNAL;
COMMENT ON TABLE muster_claims IS 'Which jobs were claimed together, and by whom. A hint where to look: what holds is the job''s own row. Every job that is claimed or running is named here, and others may still be.';
COMMENT ON COLUMN muster_claims.batch IS 'From the sequence of tokens, so no two claims of a node share one.';
COMMENT ON COLUMN muster_claims.lease_until IS 'When to look whether the leases of these jobs have run out. A job''s own lease may have been renewed since.';
-- The sweep for leases that ran out.
CREATE INDEX muster_claims_lease ON muster_claims (lease_until);

ALTER TABLE muster_jobs SET (fillfactor = 40);
ALTER TABLE muster_jobs ALTER COLUMN ready_at DROP NOT NULL;
COMMENT ON COLUMN muster_jobs.ready_at IS 'When the job became or becomes claimable; never in the past when written, so claimers may look forward only. Infinity while it waits for others; null once it is shown as running.';

DROP INDEX muster_jobs_ready, muster_jobs_lease, muster_jobs_expiry, muster_jobs_waiting;
-- Claims walk (queue, capability) by rank, each along ready_at: index order is claim order at any backlog. A claimed job
-- stays in it until it is over or shown as running; claims pass it by.
CREATE INDEX muster_jobs_ready ON muster_jobs (queue, capability, rank, ready_at) WHERE ready_at < 'infinity';
CREATE INDEX muster_jobs_expiry ON muster_jobs (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX muster_jobs_waiting ON muster_jobs (id) WHERE ready_at = 'infinity';

-- After the indexes are there: rows that are changed before, in the same transaction, would keep the planner from using
-- the indexes for as long as an older transaction is open.
UPDATE muster_jobs SET ready_at = 'infinity' WHERE status = 'waiting';
UPDATE muster_jobs SET ready_at = NULL WHERE status = 'running';
INSERT INTO muster_claims (node_id, batch, lease_until, ids)
SELECT node_id, nextval('muster_job_token_seq'), min(lease_until), array_agg(id)
FROM muster_jobs WHERE token IS NOT NULL GROUP BY node_id;

-- What no scan would find is refused, whoever writes it. In place of the check on status alone.
ALTER TABLE muster_jobs
  DROP CONSTRAINT muster_jobs_status_check,
  ADD CONSTRAINT muster_jobs_status_check CHECK (
    CASE status WHEN 'claimed' THEN true WHEN 'running' THEN true
                WHEN 'pending' THEN coalesce(ready_at < 'infinity', false)
                WHEN 'waiting' THEN coalesce(ready_at = 'infinity', false)
                ELSE false END);

CREATE OR REPLACE FUNCTION muster_lanes() RETURNS TABLE (queue text, capability text, paused boolean)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  WITH RECURSIVE lane AS (
    (SELECT j.queue, j.capability FROM muster_jobs j WHERE j.ready_at < 'infinity' AND j.status = 'pending'
     ORDER BY j.queue, j.capability LIMIT 1)
    UNION ALL
    SELECT next.queue, next.capability
    FROM lane
    CROSS JOIN LATERAL (
      SELECT j.queue, j.capability FROM muster_jobs j
      WHERE j.ready_at < 'infinity' AND j.status = 'pending' AND (j.queue, j.capability) > (lane.queue, lane.capability)
      ORDER BY j.queue, j.capability LIMIT 1) next)
  SELECT lane.queue, lane.capability, false FROM lane
  UNION ALL
  SELECT q.name, NULL, true FROM muster_queues q WHERE q.paused_at IS NOT NULL
$$;

-- As before, with the way to the node's claims from muster_claims.
CREATE OR REPLACE FUNCTION muster_verdicts(stale interval, dead interval)
  RETURNS TABLE (id text, incarnation uuid, status text, last_heartbeat timestamptz, seen timestamptz, verdict text, due timestamptz)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  SELECT n.id, n.incarnation, n.status, n.last_heartbeat, s.seen,
         CASE WHEN n.status = 'dead' OR muster_statement_clock() - s.seen >= p.dead_after THEN 'dead'
              WHEN n.status NOT IN ('active', 'stale') THEN n.status
              WHEN muster_statement_clock() - s.seen >= p.stale_after THEN 'stale'
              ELSE 'active' END,
         CASE WHEN n.status = 'dead' THEN NULL
              WHEN n.status = 'active' AND muster_statement_clock() - s.seen < p.stale_after THEN s.seen + p.stale_after
              ELSE s.seen + p.dead_after END
  FROM muster_nodes n
  CROSS JOIN LATERAL (
    SELECT greatest(stale, 2 * n.heartbeat_interval) AS stale_after,
           greatest(dead, 3 * n.heartbeat_interval) AS dead_after) p
  CROSS JOIN LATERAL (
    SELECT CASE
      WHEN n.status = 'dead' OR n.lease IS NULL OR muster_statement_clock() - n.last_heartbeat < p.stale_after
        THEN n.last_heartbeat
      ELSE greatest(n.last_heartbeat, (
        SELECT max(j.lease_until)
        FROM muster_claims c
        CROSS JOIN LATERAL unnest(c.ids) AS named (id)
        JOIN muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = n.id
        WHERE c.node_id = n.id) - n.lease) END AS seen) s
$$;

CREATE OR REPLACE FUNCTION muster_due(judge text, stale interval, dead interval, reach interval)
  RETURNS TABLE (nodes boolean, next_ms bigint, leases boolean, expired boolean, waiting boolean)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  SELECT coalesce(bool_or(v.verdict <> v.status
                    OR v.status = 'dead' AND v.last_heartbeat < muster_statement_clock() - interval '1 hour'), false),
         (date_part('epoch', min(v.due) - muster_statement_clock()) * 1000)::bigint,
         (SELECT EXISTS (SELECT FROM muster_claims c
            WHERE c.lease_until < muster_statement_clock() AND c.lease_until >= muster_statement_clock() - reach)),
         (SELECT EXISTS (SELECT FROM muster_jobs j WHERE j.expires_at IS NOT NULL AND j.token IS NULL
            AND j.expires_at <= muster_statement_clock())),
         (SELECT EXISTS (SELECT FROM muster_job_dependencies) OR EXISTS (SELECT FROM muster_jobs j WHERE j.ready_at = 'infinity'))
  FROM muster_verdicts(stale, dead) v
  WHERE v.id <> judge
$$;

CREATE OR REPLACE VIEW muster_cluster AS
SELECT n.id, n.name, v.verdict AS status, muster_clock() - v.seen AS silent_for, n.heartbeat_interval,
       n.roles, n.queues, n.capabilities, n.address, coalesce(h.jobs, 0) AS jobs_held, n.current_jobs AS jobs_running,
       n.cpu_usage, n.memory_usage, n.current_connections,
       ARRAY (SELECT l.role FROM muster_leaders l
              WHERE l.node_id = n.id AND l.incarnation = n.incarnation AND l.expires_at > muster_clock() ORDER BY 1) AS leads,
       n.started_at
FROM muster_nodes n
JOIN muster_verdicts(interval '10 seconds', interval '15 seconds') v ON v.id = n.id
LEFT JOIN (SELECT c.node_id, count(DISTINCT j.id) AS jobs
           FROM muster_claims c CROSS JOIN LATERAL unnest(c.ids) AS claimed (id)
           JOIN muster_jobs j ON j.id = claimed.id AND j.node_id = c.node_id
           GROUP BY 1) h ON h.node_id = n.id
ORDER BY n.id;
