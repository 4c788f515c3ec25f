-- Crons whose service is down keep their row, a cron that fails waits for its next try in the database, and figures find
-- their minute at any rate.

ALTER TABLE muster_crons ADD COLUMN gone_at timestamptz, ADD COLUMN retry_at timestamptz;
COMMENT ON COLUMN muster_crons.gone_at IS 'Since when no live node publishes this static cron; null: one does, or the cron is dynamic. A cron that is gone does not tick and keeps its next_tick.';
COMMENT ON COLUMN muster_crons.retry_at IS 'A cron that could not be fired is not tried again before this.';
COMMENT ON COLUMN muster_crons.next_tick IS 'Null until a leader has computed it: after creation, a resumption, or a change of its schedule while no tick was due.';

-- The block range index of a day is of use only where its ranges are summarized. Autovacuum does that about once a minute
-- for 256 ranges at most: fewer than fill up at 10,000 jobs per second. What is summarized stays so even if the
-- statement is cancelled, so a long day is caught up in several calls.
CREATE FUNCTION muster_summarize_history(minute timestamptz) RETURNS integer
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
