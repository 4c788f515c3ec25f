-- Daily partitions of history, logs, attempts and metrics. These functions run with their owner's rights: only roles with a grant may call them.

-- Functions keep the search_path that is set here. It names pg_temp last: if it is not named, PostgreSQL searches it first and finds
-- whatever any role has put there.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION muster_prepare_days(parent text, days integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  today date := (muster_clock() AT TIME ZONE 'UTC')::date;
  part  text;
  made  integer := 0;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs', 'muster_job_attempts', 'muster_metrics', 'muster_workflow_steps') THEN
    RAISE EXCEPTION '% is not kept by day', parent;
  END IF;
  IF NOT EXISTS (SELECT FROM generate_series(-1, days) d
                 WHERE to_regclass(parent || '_' || to_char(today + d, 'YYYYMMDD')) IS NULL) THEN
    RETURN 0;
  END IF;
  -- This lock conflicts with itself, but not with readers and writers: nodes that start together wait for each other.
  EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
  FOR d IN -1 .. days LOOP
    part := parent || '_' || to_char(today + d, 'YYYYMMDD');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
      -- History, logs and attempts have no primary key. Without a replica identity, a publication of all tables would make every delete fail.
      IF parent <> 'muster_metrics' THEN
        EXECUTE format('ALTER TABLE %I REPLICA IDENTITY FULL', part);
      END IF;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, part, (today + d)::text || ' 00:00:00+00', (today + d + 1)::text || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;
COMMENT ON FUNCTION muster_prepare_days(text, integer) IS 'Creates missing partitions from yesterday to this many days ahead. Runs with its owner''s rights: a node''s role needs none to create tables.';

CREATE OR REPLACE FUNCTION muster_prepare_history(days integer) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
  AS 'SELECT muster_prepare_days(''muster_job_history'', days) + muster_prepare_days(''muster_job_logs'', days)
           + muster_prepare_days(''muster_job_attempts'', days) + muster_prepare_days(''muster_metrics'', days)
           + muster_prepare_days(''muster_workflow_steps'', days)';
COMMENT ON FUNCTION muster_prepare_history(integer) IS 'Creates missing history partitions from yesterday to this many days ahead. Runs with its owner''s rights: a node''s role needs none to create tables.';

-- Before a day of history goes: batches that are not closed keep the counts of their jobs on that day. Jobs of this day cannot be retried
-- any more, because the lock that the drop needs is taken first.
CREATE OR REPLACE FUNCTION muster_keep_batch_counts(day text) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', day);
  EXECUTE format(
    'UPDATE muster_batches b
     SET completed = b.completed + gone.completed, failed = b.failed + gone.failed, cancelled = b.cancelled + gone.cancelled,
         expired = b.expired + gone.expired
     FROM (SELECT h.batch_id, count(*) FILTER (WHERE h.status = ''completed'') AS completed,
                  count(*) FILTER (WHERE h.status = ''failed'') AS failed,
                  count(*) FILTER (WHERE h.status = ''cancelled'') AS cancelled,
                  count(*) FILTER (WHERE h.status = ''expired'') AS expired
           FROM %I h
           WHERE h.batch_id IS NOT NULL AND NOT EXISTS (SELECT FROM muster_batches d WHERE d.id = h.batch_id AND d.deciding_job = h.id)
           GROUP BY h.batch_id) gone
     WHERE b.id = gone.batch_id AND b.closed_at IS NULL', day);
END $$;

CREATE OR REPLACE FUNCTION muster_drop_day(parent text, retain interval) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  oldest text;
  last_kept date := ((muster_clock() - retain) AT TIME ZONE 'UTC')::date;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs', 'muster_job_attempts', 'muster_metrics', 'muster_workflow_steps') THEN
    RAISE EXCEPTION '% is not kept by day', parent;
  END IF;
  IF retain < interval '0' THEN
    RAISE EXCEPTION 'a retention cannot be negative: %', retain;
  END IF;
  SELECT c.relname INTO oldest
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = to_regclass(parent) AND c.relname ~ ('^' || parent || '_[0-9]{8}$')
    AND to_date(right(c.relname, 8), 'YYYYMMDD') < last_kept
  ORDER BY c.relname LIMIT 1;
  IF oldest IS NULL THEN
    RETURN NULL;
  END IF;
  -- Writers queue behind the lock that a drop needs: so this gives up soon, and the caller tries again later.
  PERFORM set_config('lock_timeout', '200ms', true);
  IF parent = 'muster_job_history' AND EXISTS (SELECT FROM muster_batches b WHERE b.closed_at IS NULL) THEN
    PERFORM muster_keep_batch_counts(oldest);
  END IF;
  EXECUTE format('DROP TABLE %I', oldest);
  RETURN oldest;
END $$;
COMMENT ON FUNCTION muster_drop_day(text, interval) IS 'Drops the oldest partition that lies wholly before the retention and returns its name; null when there is none. Fails with lock_not_available rather than make writers wait.';

-- The block range index of a day helps only where its ranges are summarized. Autovacuum does that about once a minute for at most 256
-- ranges, which is fewer than fill up at 10,000 jobs per second. Summarized ranges stay summarized even if the statement is
-- cancelled, so that a long day is finished in several calls.
CREATE OR REPLACE FUNCTION muster_summarize_history(minute timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  day  regclass := to_regclass('muster_job_history_' || to_char(minute AT TIME ZONE 'UTC', 'YYYYMMDD'));
  made integer := 0;
BEGIN
  SELECT coalesce(sum(brin_summarize_new_values(i.indexrelid)), 0) INTO made
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
  WHERE i.indrelid = day AND a.amname = 'brin';
  RETURN made;
END $$;
COMMENT ON FUNCTION muster_summarize_history(timestamptz) IS 'Summarizes what is new in the block range index of the minute''s day, and returns how many ranges. Runs with its owner''s rights: a node''s role does not own the index.';

REVOKE EXECUTE ON FUNCTION muster_prepare_days(text, integer), muster_prepare_history(integer),
  muster_drop_day(text, interval), muster_summarize_history(timestamptz) FROM PUBLIC;

-- Creates the days from yesterday to a week ahead, unless they exist.
SELECT muster_prepare_history(7);
