-- Nodes that share a database have to agree on whether it is crowded: each tells the others what it finds.

ALTER TABLE muster_claims ADD COLUMN slow boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN muster_claims.slow IS 'Whether the node found the database slow when it claimed.';

DROP FUNCTION muster_look(smallint[], text[], text[], bigint[], text[], boolean);
CREATE FUNCTION muster_look(ranks smallint[], queues text[], capabilities text[], floors bigint[], names text[],
                            numbered boolean)
  RETURNS TABLE (queue text, capability text, rank smallint, first_micros bigint, paused boolean, running bigint, number bigint,
                 timeline text, claimers bigint, slow bigint)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET jit = off
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  WITH RECURSIVE named AS (
    SELECT * FROM unnest($1, $2, $3, $4) AS n (rank, queue, capability, floor_micros)),
  -- Lanes that are not named stand between two that are, or at an end. Those that are named are hopped over, with
  -- whatever is dead in them.
  edge AS (
    SELECT n.queue, n.capability FROM named n UNION SELECT '', ''),
  gap AS (
    SELECT e.queue, e.capability,
           lead(e.queue) OVER (ORDER BY e.queue, e.capability) AS next_queue,
           lead(e.capability) OVER (ORDER BY e.queue, e.capability) AS next_capability
    FROM edge e),
  other AS (
    SELECT g.queue, g.capability, g.next_queue, g.next_capability, false AS found FROM gap g
    UNION ALL
    SELECT lane.queue, lane.capability, o.next_queue, o.next_capability, true
    FROM other o
    CROSS JOIN LATERAL (
      (SELECT j.queue, j.capability FROM muster_jobs j
       WHERE o.next_queue IS NOT NULL AND j.ready_at < 'infinity' AND j.status = 'pending'
         AND (j.queue, j.capability) > (o.queue, o.capability)
         AND (j.queue, j.capability) < (o.next_queue, o.next_capability)
       ORDER BY j.queue, j.capability LIMIT 1)
      UNION ALL
      (SELECT j.queue, j.capability FROM muster_jobs j
       WHERE o.next_queue IS NULL AND j.ready_at < 'infinity' AND j.status = 'pending'
         AND (j.queue, j.capability) > (o.queue, o.capability)
       ORDER BY j.queue, j.capability LIMIT 1)) lane),
  -- From node to node by the newest note of each: older ones are dead as a rule.
  claimer AS (
    (SELECT c.node_id, c.slow FROM muster_claims c ORDER BY c.node_id DESC, c.batch DESC LIMIT 1)
    UNION ALL
    SELECT previous.node_id, previous.slow
    FROM claimer n
    CROSS JOIN LATERAL (
      SELECT c.node_id, c.slow FROM muster_claims c WHERE c.node_id < n.node_id
      ORDER BY c.node_id DESC, c.batch DESC LIMIT 1) previous)
  SELECT n.queue, n.capability, n.rank, (date_part('epoch', first.ready_at) * 1e6)::bigint, false, NULL::bigint, NULL::bigint, NULL::text,
         NULL::bigint, NULL::bigint
  FROM named n
  CROSS JOIN LATERAL (
    SELECT j.ready_at FROM muster_jobs j
    WHERE j.status = 'pending' AND j.ready_at < 'infinity'
      AND j.queue = n.queue AND j.capability = n.capability AND j.rank = n.rank
      AND j.ready_at >= CASE WHEN n.floor_micros < 0 THEN '-infinity'
                             ELSE timestamptz 'epoch' + n.floor_micros * interval '1 microsecond' END
      AND ($5 IS NULL OR j.name = ANY ($5))
      AND (j.expires_at IS NULL OR j.expires_at > muster_statement_clock())
    ORDER BY j.ready_at LIMIT 1) first
  UNION ALL
  SELECT o.queue, o.capability, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL FROM other o WHERE o.found
  UNION ALL
  SELECT q.name, NULL, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL FROM muster_queues q WHERE q.paused_at IS NOT NULL
  UNION ALL
  SELECT NULL, NULL, NULL, (date_part('epoch', muster_statement_clock()) * 1e6)::bigint, NULL,
         pg_snapshot_xmin(pg_current_snapshot())::text::bigint, CASE WHEN $6 THEN pg_current_xact_id()::text::bigint END,
         substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), (SELECT count(*) FROM claimer),
         (SELECT count(*) FROM claimer WHERE claimer.slow)
$$;
COMMENT ON FUNCTION muster_look(smallint[], text[], text[], bigint[], text[], boolean) IS 'The first pending job of each lane and rank that is named, from a time on; the other lanes that have pending jobs; the queues that are paused. At last the clock, the oldest transaction that was under way, if asked for a number for this one, the timeline, how many nodes hold claims, and how many of these found the database slow.';
