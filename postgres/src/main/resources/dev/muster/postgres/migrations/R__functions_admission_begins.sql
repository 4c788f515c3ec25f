-- Counts the jobs of groups with a rate where they begin: a node asks before it enters the handler. Admissions keep to the rate too, but what
-- they have let through may gather behind a backlog of its queue, in a queue that is paused, or while no node is up, and come all at once.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Lets jobs of these groups begin, each as if they came one after the other. In any time at most a burst of a group's jobs begins, and as many as
-- the rate has in that time. A job that may begin within "patience_ms" is let through, to begin after wait_ms. For each other one "later" is
-- true, and wait_ms says when to come back: one after the other, each at a time of its own, but within a minute or the distance between two
-- jobs, because the rate may be changed meanwhile.
-- Concurrency groups are locked in order, so that two such statements cannot wait for each other, and before the clock is read: whoever waited for a lock
-- counts from then on. Returns nothing if the transaction is not READ COMMITTED, because it would not see what others have counted. If the clock has stepped back, no group waits for longer than a burst takes.
CREATE OR REPLACE FUNCTION muster_begin_jobs(wanted text[], patience_ms double precision)
  RETURNS TABLE (ordinal bigint, wait_ms bigint, later boolean)
  LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET jit = off SET plan_cache_mode = force_generic_plan SET lock_timeout = '1s' SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_variable
DECLARE
  asked   record;
  rule    record;
  counted muster_concurrency_begins;
  at      timestamptz;
  second  timestamptz;
  -- In milliseconds, from now on: when the next job would begin if all began evenly, how much earlier a burst lets it begin, and the last time
  -- that one was told which came too early.
  even    double precision;
  early   double precision;
  longest double precision;
  told    double precision;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RETURN;
  END IF;
  FOR asked IN
    SELECT w.concurrency_group, array_agg(w.ordinal ORDER BY w.ordinal) AS ordinals
    FROM unnest(wanted) WITH ORDINALITY AS w (concurrency_group, ordinal)
    GROUP BY w.concurrency_group ORDER BY w.concurrency_group COLLATE "C"
  LOOP
    SELECT d.rate, d.rate_ms::double precision / d.rate AS distance, coalesce(d.burst, 1) AS burst INTO rule
    FROM muster_concurrency_limits d
    WHERE d.name = split_part(asked.concurrency_group, '/', 2) AND split_part(asked.concurrency_group, '/', 1) IN ('name', 'key', 'order');
    IF rule.rate IS NULL THEN
      FOREACH ordinal IN ARRAY asked.ordinals LOOP
        wait_ms := 0;
        later := false;
        RETURN NEXT;
      END LOOP;
      CONTINUE;
    END IF;
    LOOP
      SELECT b.* INTO counted FROM muster_concurrency_begins b WHERE b.concurrency_group = asked.concurrency_group ORDER BY b.since DESC LIMIT 1 FOR NO KEY UPDATE;
      EXIT WHEN FOUND;
      -- There is no row, or it was replaced while this waited for it.
      INSERT INTO muster_concurrency_begins AS b (concurrency_group, since, next_begin)
      SELECT asked.concurrency_group, date_trunc('second', muster_clock()), muster_clock()
      WHERE NOT EXISTS (SELECT FROM muster_concurrency_begins b WHERE b.concurrency_group = asked.concurrency_group)
      ON CONFLICT DO NOTHING;
    END LOOP;
    at := muster_clock();
    second := date_trunc('second', at);
    early := (rule.burst - 1) * rule.distance;
    even := least(rule.burst * rule.distance + patience_ms, greatest(0, date_part('epoch', counted.next_begin - at) * 1000));
    longest := greatest(60000, rule.distance);
    told := date_part('epoch', counted.told_until - at) * 1000;
    IF told <= 0 OR told > longest THEN
      -- Nobody comes back any more, or the clock has stepped back.
      told := NULL;
    END IF;
    FOREACH ordinal IN ARRAY asked.ordinals LOOP
      later := even - early > patience_ms;
      IF later THEN
        told := least(longest, greatest(even - early, told + rule.distance));
        wait_ms := ceil(told);
      ELSE
        wait_ms := ceil(greatest(0, even - early));
        even := even + rule.distance;
      END IF;
      RETURN NEXT;
    END LOOP;
    IF counted.since = second THEN
      UPDATE muster_concurrency_begins b
      SET next_begin = at + even * interval '1 millisecond', told_until = at + told * interval '1 millisecond'
      WHERE b.concurrency_group = asked.concurrency_group AND b.since = second;
    ELSE
      DELETE FROM muster_concurrency_begins b WHERE b.concurrency_group = asked.concurrency_group AND b.since = counted.since;
      INSERT INTO muster_concurrency_begins AS b (concurrency_group, since, next_begin, told_until)
      VALUES (asked.concurrency_group, second, at + even * interval '1 millisecond', at + told * interval '1 millisecond');
    END IF;
  END LOOP;
END $$;
COMMENT ON FUNCTION muster_begin_jobs(text[], double precision) IS 'Lets jobs of these groups begin as their rates allow. Returns for each how many milliseconds to wait, and whether it has to come back later.';
