-- Counting the permits of rate limits. Each statement of the function has a snapshot of its own: what is looked at under a lock is looked at
-- after it was granted.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Takes permits for several calls, each as if they came one after the other: wants permits, or what is left of limits if that is less, or
-- none if that is less than needs. Returns nothing if the transaction is not READ COMMITTED, because it would not see what others have
-- counted since it began.
-- Keys are locked in order, so that two such statements cannot wait for each other. The clock is read under the lock: whoever waited for
-- it counts in the window that is on now. It waits for 3 s at most, because other keys of its node wait with it. If the clock has stepped back by up to an hour, the later window of the row stays the current one.
CREATE OR REPLACE FUNCTION muster_take_permits(
    keys text[], windows_ms bigint[], limits bigint[], needs bigint[], wants bigint[])
  RETURNS TABLE (ordinal integer, granted bigint, remaining bigint, window_began timestamptz, left_us bigint)
  LANGUAGE plpgsql SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET lock_timeout = '3s'
AS $$
DECLARE
  asked   record;
  counted muster_rate_limits;
  now     timestamptz;
  spent   bigint;
  locked  boolean;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RETURN;
  END IF;
  FOR asked IN
    SELECT c.key, c.window_ms, c.window_ms * interval '1 millisecond' AS width, array_agg(c.ordinal ORDER BY c.ordinal) AS ordinals,
           max(c.most - c.need) FILTER (WHERE c.want > 0) AS room
    FROM unnest(keys, windows_ms, limits, needs, wants) WITH ORDINALITY AS c (key, window_ms, most, need, want, ordinal)
    GROUP BY c.key, c.window_ms ORDER BY c.key COLLATE "C", c.window_ms
  LOOP
    locked := false;
    LOOP
      IF locked THEN
        SELECT r.* INTO counted FROM muster_rate_limits r
        WHERE r.key = asked.key AND r.window_ms = asked.window_ms FOR NO KEY UPDATE;
      ELSE
        SELECT r.* INTO counted FROM muster_rate_limits r WHERE r.key = asked.key AND r.window_ms = asked.window_ms;
      END IF;
      now := muster_clock();
      window_began := date_bin(asked.width, now, 'epoch');
      IF counted.window_start > window_began AND counted.window_start <= now + interval '1 hour' THEN
        window_began := counted.window_start;
      END IF;
      spent := CASE WHEN counted.window_start = window_began THEN counted.used ELSE 0 END;
      -- A window that is full for all who ask stays full, so that refusals neither wait nor write.
      EXIT WHEN locked AND counted.key IS NOT NULL OR asked.room IS NULL OR spent > asked.room;
      -- The row is missing, or maintenance has removed it while this transaction waited for it.
      IF counted.key IS NULL THEN
        INSERT INTO muster_rate_limits (key, window_ms, window_start, used)
        VALUES (asked.key, asked.window_ms, window_began, 0) ON CONFLICT DO NOTHING;
      END IF;
      locked := true;
    END LOOP;
    left_us := date_part('epoch', window_began + asked.width - now) * 1e6;
    FOREACH ordinal IN ARRAY asked.ordinals LOOP
      granted := CASE WHEN spent + needs[ordinal] <= limits[ordinal] THEN least(wants[ordinal], limits[ordinal] - spent) ELSE 0 END;
      spent := spent + granted;
      remaining := greatest(0, limits[ordinal] - spent);
      RETURN NEXT;
    END LOOP;
    IF locked AND (spent > counted.used OR counted.window_start <> window_began) THEN
      UPDATE muster_rate_limits r SET window_start = window_began, used = spent
      WHERE r.key = asked.key AND r.window_ms = asked.window_ms;
    END IF;
  END LOOP;
END $$;
