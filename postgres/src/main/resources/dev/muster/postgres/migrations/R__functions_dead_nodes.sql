-- Which nodes are alive, and what the node on recovery duty has to do. The silence of a node counts only while the database was
-- available, according to the rows of the nodes. Checks that run every few seconds take constant time, however many dead tuples an open
-- transaction keeps in the tables. jit is off because plans that avoid disabled methods look expensive, and PostgreSQL would compile
-- them each time, which takes most of a second. Other settings as in jobs/preamble.sql.

-- Functions keep the search_path that is set here. It names pg_temp last: if it is not named, PostgreSQL searches it first and finds
-- whatever any role has put there.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION muster_known_since(since timestamptz) RETURNS timestamptz
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET jit = off
AS $$
  -- Goes from the newest heartbeat to the oldest, as long as each lies within the time that the newer ones cover.
  SELECT CASE WHEN $1 IS NOT NULL THEN least($1, min(k.in_touch_since)) END
  FROM (
    SELECT r.in_touch_since, bool_and(r.last_heartbeat >= r.known) OVER (ORDER BY r.last_heartbeat DESC, r.id) AS overlaps
    FROM (
      SELECT n.id, n.in_touch_since, n.last_heartbeat,
             least($1, min(n.in_touch_since) OVER (ORDER BY n.last_heartbeat DESC, n.id
                                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS known
      FROM muster_nodes n
      WHERE n.in_touch_since IS NOT NULL AND n.status <> 'dead'
        AND n.last_heartbeat <= muster_statement_clock() + interval '1 second') r) k
  WHERE k.overlaps
$$;
COMMENT ON FUNCTION muster_known_since(timestamptz) IS 'Since when the nodes together know the database to have been available without an interruption, given that one of them does since the time named. Times of nodes that overlap are one.';

-- The rule for which nodes are alive; this is the only place that has it. A node is dead if it has been silent for the dead threshold,
-- or for three of its own heartbeat intervals if that is longer, and stale likewise with the stale threshold and two intervals. Silence
-- begins with its last heartbeat or a later claim, and counts only while the database was available. A judging node passes its own
-- thresholds, and since when it knows that the database has been available.
-- The claims of a node are read only if its heartbeat is overdue, and only those since its last heartbeat, by the primary key of
-- muster_claims: there are few, including dead ones.
CREATE OR REPLACE FUNCTION muster_verdicts(stale interval, dead interval, since timestamptz)
  RETURNS TABLE (id text, incarnation uuid, status text, last_heartbeat timestamptz, seen timestamptz, verdict text, due timestamptz)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET jit = off
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  SELECT n.id, n.incarnation, n.status, n.last_heartbeat, s.seen,
         CASE WHEN n.status = 'dead' OR muster_statement_clock() >= d.dead_at THEN 'dead'
              WHEN n.status NOT IN ('active', 'stale') THEN n.status
              WHEN muster_statement_clock() >= d.stale_at
                OR n.status = 'stale' AND muster_statement_clock() >= s.seen + p.stale_after THEN 'stale'
              ELSE 'active' END,
         CASE WHEN n.status = 'dead' THEN NULL
              WHEN n.status = 'active' AND muster_statement_clock() < d.stale_at THEN d.stale_at
              ELSE d.dead_at END
  FROM muster_nodes n
  CROSS JOIN LATERAL (
    SELECT CASE WHEN n.status <> 'dead' AND muster_statement_clock() - n.last_heartbeat >= stale THEN (
      SELECT c.lease_until - n.lease FROM muster_claims c
      WHERE c.node_id = n.id AND c.number > n.claims_before
      ORDER BY c.node_id DESC, c.number DESC LIMIT 1) END AS at) claim
  CROSS JOIN LATERAL (
    -- A node that has claimed since its last heartbeat is not idle: it would have sent the next one at the short interval.
    SELECT CASE WHEN claim.at IS NULL THEN n.heartbeat_interval ELSE interval '0' END AS own_interval) i
  CROSS JOIN LATERAL (
    SELECT greatest(stale, 2 * i.own_interval) AS stale_after, greatest(dead, 3 * i.own_interval) AS dead_after,
           -- A node that keeps its interval sends a heartbeat within it, or within the threshold, once the database is available.
           greatest(dead, least(3 * i.own_interval, i.own_interval + dead)) AS time_to_be_heard) p
  CROSS JOIN LATERAL (
    -- A heartbeat in the future was sent before the clock was set back.
    SELECT greatest(CASE WHEN n.last_heartbeat <= muster_statement_clock() + interval '1 second' OR since = '-infinity'
                         THEN n.last_heartbeat ELSE since END, claim.at) AS seen) s
  CROSS JOIN LATERAL (
    SELECT greatest(s.seen + p.stale_after, since + least(p.stale_after, p.time_to_be_heard)) AS stale_at,
           greatest(s.seen + p.dead_after, since + p.time_to_be_heard) AS dead_at) d
$$;
COMMENT ON FUNCTION muster_verdicts(interval, interval, timestamptz) IS 'Each node with when it was last seen alive, its status by the rule for silence, and when it will be overdue if it stays silent; given that the database has been available since a time.';

-- For everything that asks which nodes are alive and declares none dead: views, lists, reasons why a job waits, published handlers,
-- the placement of daemons.
CREATE OR REPLACE FUNCTION muster_verdicts()
  RETURNS TABLE (id text, incarnation uuid, status text, last_heartbeat timestamptz, seen timestamptz, verdict text, due timestamptz)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET jit = off
AS $$
  -- Without the row of muster_settings the defaults count.
  SELECT v.*
  FROM (SELECT) one LEFT JOIN muster_settings s ON true
  CROSS JOIN LATERAL muster_verdicts(coalesce(s.stale_threshold, '10 seconds'), coalesce(s.dead_threshold, '15 seconds'), '-infinity') v
$$;
COMMENT ON FUNCTION muster_verdicts() IS 'Each node by the thresholds in muster_settings: dead as soon as it is overdue, whether or not a judge has declared it dead. A node is alive if its verdict is not dead.';

CREATE OR REPLACE FUNCTION muster_judge_since(judge text, fresh interval) RETURNS timestamptz
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
AS $$
  SELECT muster_known_since(n.in_touch_since) FROM muster_nodes n
  WHERE n.id = $1 AND n.status <> 'dead'
    AND ($2 IS NULL
      OR n.last_heartbeat BETWEEN muster_statement_clock() - $2 AND muster_statement_clock() + interval '1 second')
$$;
COMMENT ON FUNCTION muster_judge_since(text, interval) IS 'Since when this node knows the database to have been available. Null if its own heartbeat is older than the second argument: then it judges nobody.';

-- A new duty is one more name in the array; nodes ignore names that they do not know. Each check takes constant time: it starts where the
-- asking node has searched before.
CREATE OR REPLACE FUNCTION muster_overdue_duties(judge text, stale interval, dead interval, fresh interval,
                           leases_from bigint, expiry_from bigint, waiting_from uuid, lines_from timestamptz)
  RETURNS TABLE (overdue text[], next_ms bigint, in_touch_ms bigint, duties text[], waiting uuid, asked_micros bigint)
  LANGUAGE sql STABLE
  SET search_path FROM CURRENT
  SET jit = off
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
AS $$
  -- A node whose own heartbeat is too old is also told which nodes are overdue, so that it sends a heartbeat.
  WITH judging AS MATERIALIZED (
    SELECT muster_judge_since($1, NULL) AS since,
           EXISTS (SELECT FROM muster_nodes n WHERE n.id = $1 AND n.last_heartbeat
                   BETWEEN muster_statement_clock() - $4 AND muster_statement_clock() + interval '1 second') AS fresh),
  node AS MATERIALIZED (
    SELECT v.* FROM judging CROSS JOIN LATERAL muster_verdicts($2, $3, judging.since) v
    WHERE judging.since IS NOT NULL AND v.id <> $1),
  first_waiting AS MATERIALIZED (
    SELECT j.id FROM muster_jobs j
    WHERE $7 IS NOT NULL AND j.ready_at = 'infinity' AND j.group_position IS NULL AND j.id >= $7 ORDER BY j.id LIMIT 1)
  SELECT ARRAY (SELECT node.id FROM node WHERE node.verdict <> node.status),
         (SELECT (date_part('epoch', min(node.due) - muster_statement_clock()) * 1000)::bigint FROM node),
         (SELECT (date_part('epoch', muster_statement_clock() - judging.since) * 1000)::bigint
          FROM judging WHERE judging.fresh),
         array_remove(ARRAY[
           CASE WHEN EXISTS (SELECT FROM node WHERE node.status = 'dead'
                               AND node.last_heartbeat < muster_statement_clock() - interval '1 hour')
                THEN 'remove_dead_nodes' END,
           CASE WHEN EXISTS (SELECT FROM muster_claims c
                             WHERE c.lease_until < muster_statement_clock()
                               AND c.lease_until >= coalesce(timestamptz 'epoch' + $5 * interval '1 microsecond',
                                                             muster_statement_clock() - interval '10 minutes'))
                THEN 'recover_leases' END,
           CASE WHEN $6 IS NOT NULL AND EXISTS (
                  SELECT FROM muster_jobs j
                  WHERE j.expires_at IS NOT NULL AND j.token IS NULL AND j.expires_at <= muster_statement_clock()
                    AND j.expires_at >= timestamptz 'epoch' + $6 * interval '1 microsecond')
                THEN 'expire_jobs' END,
           CASE WHEN EXISTS (SELECT FROM first_waiting) THEN 'resolve_waiting' END,
           CASE WHEN EXISTS (SELECT FROM muster_workflow_runs r WHERE r.finished_at IS NULL) THEN 'check_runs' END,
           CASE WHEN EXISTS (SELECT FROM muster_graphs g WHERE g.finished_at IS NULL) THEN 'check_graphs' END,
           CASE WHEN EXISTS (SELECT FROM muster_batches b WHERE b.closed_at IS NULL AND b.sealed_at IS NOT NULL)
                THEN 'check_batches' END,
           -- Whether a job that waits for admission is due now, or will be before the leader asks again. A leader that does not know
           -- how far the groups have been looked through searches all of them. A group whose first job was enqueued in a caller's
           -- transaction has no row before that job is admitted.
           CASE WHEN $8 IS NOT NULL
                THEN (SELECT 'check_admission' FROM muster_jobs j
                      WHERE j.ready_at = 'infinity' AND coalesce(j.group_position < 'infinity', false)
                        AND j.group_position >= $8 AND j.group_position <= muster_statement_clock() + interval '10 seconds'
                      LIMIT 1)
                WHEN EXISTS (SELECT FROM muster_concurrency_groups) THEN 'check_admission'
                WHEN EXISTS (SELECT FROM muster_jobs j WHERE j.concurrency_group IS NOT NULL) THEN 'check_admission' END], NULL),
         (SELECT w.id FROM first_waiting w),
         (date_part('epoch', muster_statement_clock()) * 1e6)::bigint
$$;
COMMENT ON FUNCTION muster_overdue_duties(text, interval, interval, interval, bigint, bigint, uuid, timestamptz) IS 'What there is to do for whoever keeps the cluster in order. overdue: nodes to mark. duties: names of the duties that are due; leases, jobs that expired, wait or wait for admission are searched from where the asker has searched before, expired and waiting ones only if it says where. waiting: the first job that waits. in_touch_ms: null if the asker may not judge.';
