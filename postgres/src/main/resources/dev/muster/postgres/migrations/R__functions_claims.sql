-- The backlog probe of a node: asks between claims whether there is a job that its claims would miss. For clusters with many lanes, many
-- nodes and many jobs for other nodes: it jumps from lane to lane rank by rank, and returns for each lane when its first job is ready, so
-- that a claim can leave out lanes that are not due; it walks over a bounded number of jobs that are for other nodes, and over none that
-- are ready in more than two minutes; and it returns which nodes would do the same work as this one and have none. It does not wait long
-- for a lock.

-- Functions keep the search_path that is set here. It names pg_temp last: if it is not named, PostgreSQL searches it first and finds
-- whatever any role has put there.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION muster_probe_backlog(node text, ranks smallint[], queues text[], capabilities text[], floors bigint[], names text[],
                             numbered boolean, walk integer)
  RETURNS TABLE (kind text, queue text, capability text, rank smallint, micros bigint, running bigint, number bigint,
                 timeline text, claimers bigint, peers text[], alike bigint)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET jit = off
  SET lock_timeout = '10s'
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  WITH RECURSIVE named AS (
    SELECT * FROM unnest($2, $3, $4, $5) AS n (rank, queue, capability, floor_micros)),
  -- Lanes that are not named lie between two named ones or at an end. Named lanes are jumped over, with all dead entries in them.
  edge AS (
    SELECT n.queue, n.capability, n.rank FROM named n UNION SELECT '', '', -1::smallint),
  gap AS (
    SELECT e.queue, e.capability, e.rank,
           lead(e.queue) OVER (ORDER BY e.queue, e.capability, e.rank) AS next_queue,
           lead(e.capability) OVER (ORDER BY e.queue, e.capability, e.rank) AS next_capability,
           lead(e.rank) OVER (ORDER BY e.queue, e.capability, e.rank) AS next_rank
    FROM edge e),
  other AS (
    SELECT g.queue, g.capability, g.rank, NULL::timestamptz AS ready_at, g.next_queue, g.next_capability, g.next_rank FROM gap g
    UNION ALL
    SELECT lane.queue, lane.capability, lane.rank, lane.ready_at, o.next_queue, o.next_capability, o.next_rank
    FROM other o
    CROSS JOIN LATERAL (
      (SELECT j.queue, j.capability, j.rank, j.ready_at FROM muster_jobs j
       WHERE o.next_queue IS NOT NULL AND j.ready_at < 'infinity' AND j.status = 'pending'
         AND (j.queue, j.capability, j.rank) > (o.queue, o.capability, o.rank)
         AND (j.queue, j.capability, j.rank) < (o.next_queue, o.next_capability, o.next_rank)
       ORDER BY j.queue, j.capability, j.rank, j.ready_at LIMIT 1)
      UNION ALL
      (SELECT j.queue, j.capability, j.rank, j.ready_at FROM muster_jobs j
       WHERE o.next_queue IS NULL AND j.ready_at < 'infinity' AND j.status = 'pending'
         AND (j.queue, j.capability, j.rank) > (o.queue, o.capability, o.rank)
       ORDER BY j.queue, j.capability, j.rank, j.ready_at LIMIT 1)) lane),
  -- The first job for this node in each named lane and rank. The search ends at the first job that is ready in more than two minutes,
  -- whomever it is for: every job after it is later still, so it is enough to probe again when that one is ready. Nodes usually probe
  -- again before that.
  found AS MATERIALIZED (
    SELECT n.queue, n.capability, n.rank, first.ready_at, first.mine, first.far
    FROM named n
    CROSS JOIN LATERAL (
      SELECT w.ready_at, w.mine, w.far
      FROM (
        SELECT j.ready_at, row_number() OVER (ORDER BY j.ready_at) AS ordinal,
               j.ready_at > muster_statement_clock() + interval '2 minutes' AS far,
               ($6 IS NULL OR j.name = ANY ($6)) AND (j.expires_at IS NULL OR j.expires_at > muster_statement_clock()) AS mine
        FROM muster_jobs j
        WHERE j.status = 'pending' AND j.ready_at < 'infinity'
          AND j.queue = n.queue AND j.capability = n.capability AND j.rank = n.rank
          AND j.ready_at >= CASE WHEN n.floor_micros < 0 THEN '-infinity'
                                 ELSE timestamptz 'epoch' + n.floor_micros * interval '1 microsecond' END
        ORDER BY j.ready_at LIMIT $8) w
      WHERE w.far OR w.mine OR w.ordinal = $8
      LIMIT 1) first),
  -- Jumps from node to node by the newest note of each, because older notes are usually dead.
  claimer AS (
    (SELECT c.node_id FROM muster_claims c ORDER BY c.node_id DESC, c.number DESC LIMIT 1)
    UNION ALL
    SELECT previous.node_id
    FROM claimer n
    CROSS JOIN LATERAL (
      SELECT c.node_id FROM muster_claims c WHERE c.node_id < n.node_id
      ORDER BY c.node_id DESC, c.number DESC LIMIT 1) previous),
  -- Nodes that would do the same work. Only nodes with a heartbeat within two intervals, which is stricter than being alive: a dead
  -- node would not claim when it is its turn.
  alike AS (
    SELECT n.id FROM muster_nodes me
    JOIN muster_nodes n ON n.status = 'active' AND n.queues IS NOT DISTINCT FROM me.queues
      AND n.capabilities = me.capabilities AND n.roles = me.roles AND n.handlers = me.handlers
      AND n.last_heartbeat > muster_statement_clock() - 2 * n.heartbeat_interval
    WHERE me.id = $1)
  SELECT CASE WHEN f.mine THEN 'first' ELSE 'walked' END, f.queue, f.capability, f.rank,
         (date_part('epoch', least(greatest(f.ready_at, timestamptz 'epoch'), timestamptz '9999-01-01 00:00:00+00')) * 1e6)::bigint, NULL::bigint, NULL::bigint, NULL::text, NULL::bigint, NULL::text[], NULL::bigint
  FROM found f WHERE NOT f.far
  UNION ALL
  SELECT 'other', o.queue, o.capability, o.rank, (date_part('epoch', least(greatest(o.ready_at, timestamptz 'epoch'), timestamptz '9999-01-01 00:00:00+00')) * 1e6)::bigint, NULL, NULL, NULL, NULL, NULL, NULL
  FROM other o WHERE o.ready_at <= muster_statement_clock() + interval '2 minutes'
  UNION ALL
  SELECT 'beyond', NULL, NULL, NULL, (date_part('epoch', least(greatest(min(far.ready_at), timestamptz 'epoch'), timestamptz '9999-01-01 00:00:00+00')) * 1e6)::bigint, NULL, NULL, NULL, NULL, NULL, NULL
  FROM (
    SELECT o.ready_at FROM other o WHERE o.ready_at > muster_statement_clock() + interval '2 minutes'
    UNION ALL
    SELECT f.ready_at FROM found f WHERE f.far) far
  HAVING count(*) > 0
  UNION ALL
  SELECT CASE WHEN q.paused_at IS NULL THEN 'limited' ELSE 'paused' END, q.name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM muster_queues q WHERE q.paused_at IS NOT NULL OR q.limited
  UNION ALL
  SELECT 'clock', NULL, NULL, NULL, (date_part('epoch', muster_statement_clock()) * 1e6)::bigint,
         pg_snapshot_xmin(pg_current_snapshot())::text::bigint, CASE WHEN $7 THEN pg_current_xact_id()::text::bigint END,
         substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), (SELECT count(*) FROM claimer),
         ARRAY (SELECT a.id FROM alike a WHERE a.id <> ALL (ARRAY (SELECT c.node_id FROM claimer c))),
         (SELECT count(*) FROM alike a WHERE a.id = ANY (ARRAY (SELECT c.node_id FROM claimer c)))
$$;
COMMENT ON FUNCTION muster_probe_backlog(text, smallint[], text[], text[], bigint[], text[], boolean, integer) IS 'What claims would not come by. first: the first pending job that is for this node and due within two minutes, of each lane and rank that is named, from a time on; walked: there was none among this many, up to this time. other: the first pending job, whomever it is for, of lanes and ranks that are not named and due within two minutes. beyond: the first pending job, whomever it is for, of all lanes and ranks where the search reached jobs that are due later. paused, limited: queues. clock: the time, the oldest transaction that was under way, if asked for a number for this one, the timeline, how many nodes hold claims, which nodes that are alive and like this one hold none, and how many such nodes hold some.';
