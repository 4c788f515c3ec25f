-- Admits jobs of groups: makes as many of the jobs that wait for admission pending as there are free places. A rate is
-- counted once more where a job begins: R__functions_admission_begins.sql. docs/model/admission.pml is the model of all this; its rules are
-- named where they are followed.

-- Functions keep the search_path that is set here. It names pg_temp last: if it is not named, PostgreSQL searches it first and finds
-- whatever any role has put there.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION muster_is_ordered(concurrency_group text) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT left($1, 5) IN ('order', 'fifo/') $$;
COMMENT ON FUNCTION muster_is_ordered(text) IS 'Whether the jobs of the group run one after the other, in the order in which they were put into their groups.';

CREATE OR REPLACE FUNCTION muster_group_clock() RETURNS timestamptz
  LANGUAGE sql VOLATILE
  SET search_path FROM CURRENT
AS $$ SELECT CASE WHEN pg_current_xact_id() IS NOT NULL THEN muster_clock() END $$;
COMMENT ON FUNCTION muster_group_clock() IS 'The time for a position in a group. The transaction draws its number before it reads the clock: whoever sees no such transaction under way knows that later positions are later than now.';

-- An ordered group has two ranks. A job of rank 50 has its position: it is due, whatever the clock says, and its group_position is a number that only
-- happens to look like a time. A job of rank 25 gets its position when it is due.
CREATE OR REPLACE FUNCTION muster_rank_in_group(concurrency_group text, priority smallint, has_place boolean) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN left($1, 5) IN ('order', 'fifo/') THEN CASE WHEN $3 THEN 50::smallint ELSE 25::smallint END ELSE $2 END $$;
COMMENT ON FUNCTION muster_rank_in_group(text, smallint, boolean) IS 'The rank of a job while it waits for admission: its priority, or in an ordered group whether it has its place or is due later.';

-- For nodes of the version before: what they put into an ordered group has a time and no number, so the clock says when it is due.
CREATE OR REPLACE FUNCTION muster_rank_in_group(concurrency_group text, priority smallint) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN left($1, 5) IN ('order', 'fifo/') THEN 25::smallint ELSE $2 END $$;
COMMENT ON FUNCTION muster_rank_in_group(text, smallint) IS 'The rank of a job that becomes due at its group_position, while it waits for admission.';

-- In an ordered group the order must not depend on clocks: after a failover the clock may be behind the one that gave the last position. So a
-- position there is later than every other one that can be seen, and than the floors. Only what lies ahead of the clock is looked at, which is
-- nothing while the clock runs forward: dead entries before are not met. A statement that puts several jobs into their groups sees its own ones here.
CREATE OR REPLACE FUNCTION muster_position_after(concurrency_group text, clock timestamptz) RETURNS timestamptz
  LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  ahead timestamptz;
BEGIN
  SELECT greatest(
           (SELECT j.group_position FROM muster_jobs j
            WHERE j.concurrency_group = $1 AND j.ready_at = 'infinity' AND j.rank = 50 AND j.group_position >= $2
            ORDER BY j.group_position DESC LIMIT 1),
           (SELECT l.floors_at FROM muster_concurrency_groups l WHERE l.concurrency_group = $1 AND l.floors_at >= $2))
  INTO ahead;
  RETURN greatest($2, ahead + interval '1 microsecond');
END $$;
COMMENT ON FUNCTION muster_position_after(text, timestamptz) IS 'A position in an ordered group, not before this time.';

-- In other groups no order is promised across a step of the clock, and nothing is read.
CREATE OR REPLACE FUNCTION muster_position_in_group(concurrency_group text) RETURNS timestamptz
  LANGUAGE sql VOLATILE
  SET search_path FROM CURRENT
AS $$ SELECT CASE WHEN muster_is_ordered($1) THEN muster_position_after($1, muster_group_clock()) ELSE muster_group_clock() END $$;
COMMENT ON FUNCTION muster_position_in_group(text) IS 'The position of a job that is put into its group now and is due.';

-- All of it in one function, because an enqueue without a group prepares each expression of its statement, too.
CREATE OR REPLACE FUNCTION muster_position_in_group(concurrency_group text, run_at timestamptz, delay_ms bigint, now timestamptz) RETURNS timestamptz
  LANGUAGE sql VOLATILE
  SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN coalesce($2 <= $4, coalesce($3, 0) <= 0) THEN muster_position_in_group($1)
              ELSE greatest(coalesce($2, $4 + $3 * interval '1 millisecond'), muster_group_clock()) END
$$;
COMMENT ON FUNCTION muster_position_in_group(text, timestamptz, bigint, timestamptz) IS 'The position of a job that is put into its group now, and is due at run_at, or else after delay_ms.';

-- The handler's limit, or what holds without one: one job of a key at a time, a window of 200 jobs for fairness. If only a rate limits the
-- jobs, or if the handler of a group of all its jobs has no limit any more, many are admitted at a time.
CREATE OR REPLACE FUNCTION muster_most_admitted(concurrency_group text, declared integer, rate integer) RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE split_part($1, '/', 1) WHEN 'fifo' THEN 1 WHEN 'order' THEN 1 WHEN 'fair' THEN 200
              WHEN 'key' THEN coalesce($2, CASE WHEN $3 IS NULL THEN 1 ELSE 1000 END)
              ELSE coalesce($2, 1000) END
$$;
COMMENT ON FUNCTION muster_most_admitted(text, integer, integer) IS 'How many jobs of the group are admitted at a time, if its handler declares this limit and this rate.';

-- For nodes of the version before.
CREATE OR REPLACE FUNCTION muster_most_admitted(concurrency_group text, declared integer) RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  SET search_path FROM CURRENT
AS $$ SELECT muster_most_admitted($1, $2, NULL::integer) $$;
COMMENT ON FUNCTION muster_most_admitted(text, integer) IS 'How many jobs of the group are admitted at a time, if its handler declares this limit.';

-- One call is one transaction, or the first part of none: it takes the locks of all these groups, in their order, and holds them until the
-- commit. It must not be called by a transaction that has locked a job's row, or that has changed one.
-- Each statement of the function has a snapshot of its own, so that the count sees everything that was committed before the lock was taken.
-- Returns a row without a group, and does nothing, if the transaction is not READ COMMITTED.
-- "everything": looks from the beginning, also for jobs that were committed long after they were put into their groups.
-- "patience_ms": for how long it waits for a lock.
CREATE OR REPLACE FUNCTION muster_admit(wanted text[], everything boolean, patience_ms integer)
  RETURNS TABLE (concurrency_group text, queue text, capability text, jobs bigint, next_ms bigint)
  LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET jit = off SET plan_cache_mode = force_generic_plan SET lock_timeout = '1s' -- set below; this has it taken back at the end
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  names text[] := ARRAY (SELECT DISTINCT w.concurrency_group FROM unnest(wanted) AS w (concurrency_group) ORDER BY 1);
  began timestamptz;
  found_rows bigint;
  last_look timestamptz;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RETURN QUERY SELECT NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint;
    RETURN;
  END IF;
  PERFORM set_config('lock_timeout', patience_ms::text, true);
  -- Rule 5: a group without a row gets one, and it is locked. A row that was removed while this waited for it is not there: begin again.
  LOOP
    INSERT INTO muster_concurrency_groups AS l (concurrency_group, used_at)
    SELECT n.concurrency_group, muster_clock()
    FROM unnest(names) WITH ORDINALITY AS n (concurrency_group, ordinal)
    WHERE NOT EXISTS (SELECT FROM muster_concurrency_groups k WHERE k.concurrency_group = n.concurrency_group OFFSET 0)
    ORDER BY n.ordinal
    ON CONFLICT DO NOTHING;
    -- Rule 1: this waits, and skips nothing.
    SELECT count(*), max(locked.floors_at) INTO found_rows, last_look FROM (
      SELECT l.concurrency_group, l.floors_at
      FROM unnest(names) WITH ORDINALITY AS n (concurrency_group, ordinal)
      JOIN muster_concurrency_groups l ON l.concurrency_group = ANY (ARRAY[n.concurrency_group])
      ORDER BY n.ordinal
      FOR NO KEY UPDATE OF l) locked;
    EXIT WHEN found_rows = cardinality(names);
  END LOOP;
  began := muster_clock();

  -- The clock is behind the last look, after a failover for example: what was put into its group and was due by then stays due, although its group_position
  -- has not come again. In an ordered group it gets its position; elsewhere it moves back by as much as the clock did, and so does what was put into its group
  -- within a second after the last look, because looks are a second apart. If there is more of it than one call should write, the rest
  -- waits until the clock has caught up. The floors do not hold any more (see below).
  IF last_look > began THEN
    UPDATE muster_jobs j
    SET rank = CASE WHEN ahead.ordered THEN 50 ELSE j.rank END,
        group_position = CASE WHEN ahead.ordered THEN j.group_position ELSE j.group_position - ahead.behind END
    FROM (
      SELECT found.id, muster_is_ordered(l.concurrency_group) AS ordered, l.floors_at + interval '1 second' - began AS behind
      FROM unnest(names) AS n (concurrency_group)
      JOIN muster_concurrency_groups l ON l.concurrency_group = ANY (ARRAY[n.concurrency_group]) AND l.floors_at > began
      CROSS JOIN unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) AS r (rank)
      CROSS JOIN LATERAL (
        SELECT a.id FROM muster_jobs a
        WHERE a.concurrency_group = l.concurrency_group AND a.ready_at = 'infinity' AND a.rank = r.rank AND a.group_position > began
          AND a.group_position <= CASE WHEN muster_is_ordered(l.concurrency_group) THEN l.floors_at ELSE l.floors_at + interval '1 second' END
        ORDER BY a.group_position, a.id LIMIT 1000
        FOR UPDATE) found
      WHERE r.rank = 25 OR NOT muster_is_ordered(l.concurrency_group)) ahead
    WHERE j.id = ANY (ARRAY[ahead.id]) AND j.ready_at = 'infinity';
  END IF;

  -- Rule 2: a later statement counts. Rule 6: it waits for the rows of the jobs that it picks.
  RETURN QUERY
  WITH locked AS MATERIALIZED (
    SELECT l.concurrency_group, muster_most_admitted(l.concurrency_group, d.max_concurrent, d.rate) AS most, d.rate, d.rate_ms, coalesce(d.burst, 1) AS burst,
           muster_is_ordered(l.concurrency_group) AS ordered, l.floors_at,
           CASE WHEN everything OR l.floors_at > began THEN timestamptz '-infinity' ELSE l.admitted_floor END AS admitted_floor,
           CASE WHEN NOT everything AND l.floors_at <= began THEN l.held END AS held,
           CASE WHEN NOT everything AND l.floors_at <= began THEN l.floors END AS floors,
           -- The ready_at of jobs that wait for admission. If the count below named infinity itself, muster_jobs_ready could serve it, and with the
           -- statistics of an empty table the planner takes it: then each admission reads every job that is ready, of whatever queue.
           timestamptz 'infinity' AS not_admitted,
           CASE WHEN d.rate IS NOT NULL THEN
             least(coalesce(d.burst, 1), coalesce(t.tokens, l.tokens, d.burst, 1)
                            + d.rate * greatest(0, date_part('epoch', began - coalesce(t.refilled_at, l.refilled_at, began))) * 1000 / d.rate_ms,
                   -- Jobs that came too early come back until then (muster_begin_jobs), and these come after them.
                   (SELECT date_part('epoch', began - b.told_until) * 1000 * d.rate / d.rate_ms
                    FROM muster_concurrency_begins b
                    WHERE b.concurrency_group = ANY (ARRAY[l.concurrency_group])
                      -- A later time is left over from before the clock stepped back.
                      AND b.told_until <= began + greatest(60000, d.rate_ms / d.rate) * interval '1 millisecond'
                    ORDER BY b.since DESC LIMIT 1))
           END AS tokens
    FROM unnest(names) AS n (concurrency_group)
    JOIN muster_concurrency_groups l ON l.concurrency_group = ANY (ARRAY[n.concurrency_group])
    LEFT JOIN muster_concurrency_limits d ON d.name = split_part(l.concurrency_group, '/', 2) AND split_part(l.concurrency_group, '/', 1) IN ('name', 'key', 'order')
    LEFT JOIN muster_concurrency_tokens t ON d.rate IS NOT NULL AND t.concurrency_group = ANY (ARRAY[l.concurrency_group]) AND t.since = l.floors_at),
  room AS MATERIALIZED (
    SELECT locked.*, locked.most - admitted.jobs AS free,
           greatest(0, least(locked.most - admitted.jobs, floor(locked.tokens)))::integer AS n,
           -- In an ordered group a job that is due at last goes before those that were put into their groups after it was due.
           CASE WHEN NOT locked.ordered THEN ARRAY[100, 75, 50, 25, 0]::smallint[]
                WHEN locked.most <= admitted.jobs THEN ARRAY[]::smallint[]
                WHEN (SELECT j.group_position FROM muster_jobs j
                      WHERE j.concurrency_group = locked.concurrency_group AND j.ready_at = 'infinity' AND j.rank = 25
                        AND j.group_position >= coalesce(locked.floors[4], '-infinity') AND j.group_position <= began
                      ORDER BY j.group_position LIMIT 1)
                   < (SELECT j.group_position FROM muster_jobs j
                      WHERE j.concurrency_group = locked.concurrency_group AND j.ready_at = 'infinity' AND j.rank = 50
                        AND j.group_position >= coalesce(locked.floors[3], '-infinity')
                      ORDER BY j.group_position LIMIT 1) THEN ARRAY[25, 50]::smallint[]
                ELSE ARRAY[50, 25]::smallint[] END AS ranks
    FROM locked
    CROSS JOIN LATERAL (
      SELECT (SELECT count(*) FROM (
                SELECT 1 FROM muster_jobs j
                WHERE j.concurrency_group = locked.concurrency_group AND j.ready_at >= locked.admitted_floor AND j.ready_at < locked.not_admitted
                LIMIT locked.most) a)
             -- OFFSET 0: by the primary key. Along muster_jobs_concurrency_group it would read what lies below the floor.
             + (SELECT count(*) FROM unnest(locked.held) AS h (id)
                CROSS JOIN LATERAL (SELECT j.concurrency_group, j.ready_at FROM muster_jobs j WHERE j.id = ANY (ARRAY[h.id]) OFFSET 0) j
                WHERE j.concurrency_group = locked.concurrency_group AND j.ready_at < locked.admitted_floor) AS jobs
      OFFSET 0) admitted),
  next AS MATERIALIZED (
    SELECT room.concurrency_group, first.id, room.admitted_floor, room.tokens, room.floors_at
    FROM room
    CROSS JOIN LATERAL (
      SELECT found.id
      FROM unnest(room.ranks) AS r (rank)
      CROSS JOIN LATERAL (
        SELECT j.id
        FROM muster_jobs j
        WHERE j.concurrency_group = room.concurrency_group AND j.ready_at = 'infinity' AND j.rank = r.rank
          AND j.group_position >= coalesce(room.floors[5 - r.rank / 25], '-infinity')
          AND j.group_position <= CASE WHEN room.ordered AND r.rank = 50 THEN room.not_admitted ELSE began END
        ORDER BY j.group_position, j.id
        LIMIT room.n
        FOR UPDATE) found
      LIMIT room.n) first
    WHERE room.n > 0),
  admitted AS (
    UPDATE muster_jobs j
    SET status = 'pending', rank = j.priority, ready_at = greatest(muster_clock(), next.admitted_floor)
    FROM next
    WHERE j.id = ANY (ARRAY[next.id]) AND j.ready_at = 'infinity'
    RETURNING j.concurrency_group, j.queue, j.capability, next.tokens, next.floors_at),
  taken AS MATERIALIZED (
    SELECT a.concurrency_group, count(*) AS jobs, a.tokens, a.floors_at FROM admitted a GROUP BY a.concurrency_group, a.tokens, a.floors_at),
  used AS (
    UPDATE muster_concurrency_groups l
    SET used_at = began
    FROM taken
    WHERE l.concurrency_group = ANY (ARRAY[taken.concurrency_group]) AND l.used_at < began - interval '1 hour'),
  -- Not in the row of the group: while dead rows cannot be removed, every admission would meet one of each admission before. A row here is
  -- for the time between two looks at the floors, which takes over what is left.
  spent AS (
    INSERT INTO muster_concurrency_tokens AS t (concurrency_group, since, tokens, refilled_at)
    SELECT taken.concurrency_group, taken.floors_at, taken.tokens - taken.jobs, began FROM taken WHERE taken.tokens IS NOT NULL
    ON CONFLICT (concurrency_group, since) DO UPDATE SET tokens = excluded.tokens, refilled_at = excluded.refilled_at),
  -- What is left in each group. A join of room and taken would compare each group with each other one: this function hashes nothing.
  rest AS MATERIALIZED (
    SELECT c.concurrency_group, sum(c.free) AS free, sum(c.tokens) AS tokens, max(c.burst) AS burst, max(c.rate) AS rate, max(c.rate_ms) AS rate_ms
    FROM (SELECT room.concurrency_group, room.free, room.tokens, room.burst, room.rate, room.rate_ms FROM room
          UNION ALL
          SELECT taken.concurrency_group, -taken.jobs, -taken.jobs, NULL, NULL, NULL FROM taken) c
    GROUP BY c.concurrency_group)
  SELECT a.concurrency_group, a.queue, a.capability, count(*), NULL::bigint FROM admitted a GROUP BY a.concurrency_group, a.queue, a.capability
  UNION ALL
  -- When to admit again: if there is room, when the next job that waits for admission is due, and when the rate allows half a burst, so that not every job
  -- is admitted by itself.
  SELECT rest.concurrency_group, NULL, NULL, NULL,
         CASE WHEN rest.rate IS NOT NULL AND rest.tokens < 1
              THEN ceil((greatest(1, rest.burst / 2) - rest.tokens) * rest.rate_ms / rest.rate)::bigint
              ELSE (SELECT ceil(date_part('epoch', min(due.group_position) - began) * 1000)::bigint
                    FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) AS r (rank)
                    CROSS JOIN LATERAL (
                      SELECT j.group_position FROM muster_jobs j
                      WHERE j.concurrency_group = rest.concurrency_group AND j.ready_at = 'infinity' AND j.rank = r.rank AND j.group_position > began
                      ORDER BY j.group_position LIMIT 1) due) END
  FROM rest
  WHERE rest.free > 0;

  -- Raises the floors of groups, at most once a second. Only admissions make a job admitted, under the lock, and no admitted job gets an
  -- earlier ready_at than it has, unless that is in the future: so the first of them is a floor at once, if it is not in the future. It may
  -- have been admitted above, after this call began: in a group with one place it always has. A job that has been admitted for long would hold
  -- the floor down, and each admission would walk over all that have passed it. So up to 100 of these are held by their numbers and counted one
  -- by one, and the floor is the first of the others. Whatever becomes of a held job, it is counted once: by its number while its ready_at is
  -- below the floor, else like the others.
  -- The floors of waiting jobs are not as simple: a transaction that has not committed yet may have put jobs into their groups before now. So
  -- such a floor holds only when all transactions have ended that had a number when it was written, and only up to the first job that such a
  -- transaction has left in its group; later ones read the clock later (muster_group_clock). In a group without order a single transaction that
  -- stays open holds the floors up for a minute at most. What such a transaction has put into its group is found by a call that looks from the
  -- beginning: if all places are taken at that moment, it lowers the floors to the job, so that the next call sees it.
  -- If the clock is behind the last look, after a failover for example, there are no floors until the next look, and the rate continues from
  -- now.
  WITH looked AS MATERIALIZED (
    SELECT k.concurrency_group, k.floors, k.floors_at, k.admitted_floor, k.held, k.floors_at > began AS stepped_back,
           k.next_floors IS NULL OR k.next_number <= pg_snapshot_xmin(pg_current_snapshot())
             OR NOT muster_is_ordered(k.concurrency_group) AND k.next_at < began - interval '1 minute' AS renewed,
           coalesce(t.tokens, k.tokens) AS tokens, coalesce(t.refilled_at, k.refilled_at) AS refilled_at
    FROM unnest(names) AS n (concurrency_group)
    JOIN muster_concurrency_groups k ON k.concurrency_group = ANY (ARRAY[n.concurrency_group])
    LEFT JOIN muster_concurrency_tokens t ON t.concurrency_group = ANY (ARRAY[k.concurrency_group]) AND t.since = k.floors_at
    WHERE everything OR k.floors_at < began - interval '1 second' OR k.floors_at > began),
  taken_over AS (
    DELETE FROM muster_concurrency_tokens t USING looked WHERE t.concurrency_group = ANY (ARRAY[looked.concurrency_group]) AND t.since = looked.floors_at)
  UPDATE muster_concurrency_groups l
  SET floors_at = began,
      admitted_floor = CASE WHEN state.stepped_back THEN '-infinity' ELSE coalesce(
        (SELECT CASE WHEN j.ready_at > muster_clock() THEN l.admitted_floor ELSE greatest(l.admitted_floor, j.ready_at) END
         FROM muster_jobs j
         WHERE j.concurrency_group = l.concurrency_group AND j.ready_at >= l.admitted_floor AND j.ready_at < 'infinity' AND j.id <> ALL (old.held)
         ORDER BY j.ready_at LIMIT 1), greatest(l.admitted_floor, began)) END,
      held = CASE WHEN NOT state.stepped_back THEN nullif(old.held, '{}') END,
      floors = CASE WHEN state.stepped_back THEN NULL
                    WHEN state.renewed AND l.next_floors IS NOT NULL THEN ARRAY (
                      SELECT least(f.proposed, f.first) FROM unnest(l.next_floors, waiting.first) WITH ORDINALITY AS f (proposed, first, ordinal)
                      ORDER BY f.ordinal)
                    WHEN everything AND l.floors IS NOT NULL THEN ARRAY (
                      SELECT least(f.floor, f.first) FROM unnest(l.floors, waiting.first) WITH ORDINALITY AS f (floor, first, ordinal)
                      ORDER BY f.ordinal)
                    ELSE l.floors END,
      next_floors = CASE WHEN state.stepped_back THEN NULL
                         WHEN state.renewed THEN ARRAY (
                           SELECT least(began, f.first) FROM unnest(waiting.first) WITH ORDINALITY AS f (first, ordinal) ORDER BY f.ordinal)
                         WHEN everything AND l.next_floors IS NOT NULL THEN ARRAY (
                           SELECT least(f.floor, f.first) FROM unnest(l.next_floors, waiting.first) WITH ORDINALITY AS f (floor, first, ordinal)
                           ORDER BY f.ordinal)
                         ELSE l.next_floors END,
      next_number = CASE WHEN state.renewed THEN pg_snapshot_xmax(pg_current_snapshot()) ELSE l.next_number END,
      next_at = CASE WHEN state.renewed THEN began ELSE l.next_at END,
      tokens = state.tokens,
      refilled_at = CASE WHEN state.stepped_back THEN least(state.refilled_at, began) ELSE state.refilled_at END
  FROM looked state
  CROSS JOIN LATERAL (
    -- The jobs to hold: those that are held, as long as they have to be, and then the oldest others.
    SELECT ARRAY (
      (SELECT h.id FROM unnest(state.held) AS h (id)
       CROSS JOIN LATERAL (SELECT j.concurrency_group, j.ready_at FROM muster_jobs j WHERE j.id = ANY (ARRAY[h.id]) OFFSET 0) j
       WHERE j.concurrency_group = state.concurrency_group AND j.ready_at < state.admitted_floor)
      UNION ALL
      (SELECT j.id FROM muster_jobs j
       WHERE j.concurrency_group = state.concurrency_group AND j.ready_at >= state.admitted_floor AND j.ready_at < began - interval '5 seconds'
       ORDER BY j.ready_at LIMIT 100)
      LIMIT 100) AS held
    OFFSET 0) old
  CROSS JOIN LATERAL (
    -- For each rank the first job that waits for admission, infinity if there is none.
    SELECT CASE WHEN (state.renewed OR everything) AND NOT state.stepped_back THEN ARRAY (
      SELECT coalesce((SELECT j.group_position FROM muster_jobs j
                       WHERE j.concurrency_group = state.concurrency_group AND j.ready_at = 'infinity' AND j.rank = r.rank
                         AND j.group_position >= CASE WHEN everything THEN '-infinity' ELSE coalesce(state.floors[r.ordinal], '-infinity') END
                       ORDER BY j.group_position LIMIT 1), 'infinity')
      FROM unnest(ARRAY[100, 75, 50, 25, 0]::smallint[]) WITH ORDINALITY AS r (rank, ordinal)
      ORDER BY r.ordinal) END AS first
    OFFSET 0) waiting
  WHERE l.concurrency_group = ANY (ARRAY[state.concurrency_group]);
END $$;
COMMENT ON FUNCTION muster_admit(text[], boolean, integer) IS 'Makes jobs of these groups pending, as many as there are free places. Returns the lanes in which there are new jobs, and for groups with places left in how many milliseconds to call it again; null if that is not known.';

-- For nodes of the version before.
CREATE OR REPLACE FUNCTION muster_admit(wanted text[], everything boolean)
  RETURNS TABLE (concurrency_group text, queue text, capability text, jobs bigint, next_ms bigint)
  LANGUAGE sql VOLATILE
  SET search_path FROM CURRENT
AS $$ SELECT * FROM muster_admit($1, $2, 1000) $$;
COMMENT ON FUNCTION muster_admit(text[], boolean) IS 'Makes jobs of these groups pending, as many as there are free places, and waits a second for a lock.';
