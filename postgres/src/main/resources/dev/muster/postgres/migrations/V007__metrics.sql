-- Figures per minute, written by the metrics_aggregator from history: nothing is counted while jobs run.

-- A block range index: finding one minute among a day's jobs costs completions next to nothing. Ranges are summarized as
-- they fill up, so that only the newest is read in vain.
CREATE INDEX muster_job_history_finished ON muster_job_history
  USING brin (finished_at) WITH (pages_per_range = 64, autosummarize = on);

CREATE TABLE muster_metrics (
  minute      timestamptz NOT NULL,
  queue       text        NOT NULL,
  name        text        NOT NULL,
  completed   bigint      NOT NULL DEFAULT 0,
  failed      bigint      NOT NULL DEFAULT 0,
  cancelled   bigint      NOT NULL DEFAULT 0,
  expired     bigint      NOT NULL DEFAULT 0,
  run_p50_ms  double precision,
  run_p95_ms  double precision,
  run_p99_ms  double precision,
  wait_p50_ms double precision,
  wait_p95_ms double precision,
  wait_p99_ms double precision,
  depth       bigint,
  PRIMARY KEY (minute, queue, name)
) PARTITION BY RANGE (minute);
COMMENT ON TABLE muster_metrics IS 'Figures per minute, one partition per UTC day. Read it through muster_job_metrics and muster_queue_metrics.';
COMMENT ON COLUMN muster_metrics.minute IS 'Its beginning; a job counts in the minute in which it ended.';
COMMENT ON COLUMN muster_metrics.name IS 'Of the job; empty: all jobs of the queue together.';
COMMENT ON COLUMN muster_metrics.run_p50_ms IS 'How long handlers ran, within 6 percent; null if none did.';
COMMENT ON COLUMN muster_metrics.wait_p50_ms IS 'From the time a job was due to its last start, within 6 percent.';
COMMENT ON COLUMN muster_metrics.depth IS 'Jobs that were due and not claimed when the minute was written; null for minutes that were written later.';

CREATE TABLE muster_metrics_progress (
  one     boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
  done_to timestamptz NOT NULL
);
COMMENT ON TABLE muster_metrics_progress IS 'Up to when figures are written, one row. After a gap the next leader goes on here.';
INSERT INTO muster_metrics_progress (done_to)
VALUES (to_timestamp(floor(date_part('epoch', muster_clock()) / 60) * 60));

CREATE VIEW muster_job_metrics AS
SELECT minute, queue, name, completed, failed, cancelled, expired, run_p50_ms, run_p95_ms, run_p99_ms,
       wait_p50_ms, wait_p95_ms, wait_p99_ms, depth
FROM muster_metrics WHERE name <> '';
COMMENT ON VIEW muster_job_metrics IS 'Figures per minute, queue and job name.';
CREATE VIEW muster_queue_metrics AS
SELECT minute, queue, completed, failed, cancelled, expired, run_p50_ms, run_p95_ms, run_p99_ms,
       wait_p50_ms, wait_p95_ms, wait_p99_ms, depth
FROM muster_metrics WHERE name = '';
COMMENT ON VIEW muster_queue_metrics IS 'Figures per minute and queue.';

-- As before, and for muster_metrics too.
CREATE OR REPLACE FUNCTION muster_prepare_days(parent text, days integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  today date := (muster_clock() AT TIME ZONE 'UTC')::date;
  part  text;
  made  integer := 0;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs', 'muster_metrics') THEN
    RAISE EXCEPTION '% is not kept by day', parent;
  END IF;
  IF NOT EXISTS (SELECT FROM generate_series(-1, days) d
                 WHERE to_regclass(parent || '_' || to_char(today + d, 'YYYYMMDD')) IS NULL) THEN
    RETURN 0;
  END IF;
  -- Conflicts with itself and with nothing that reads or writes: nodes that start together take turns.
  EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
  FOR d IN -1 .. days LOOP
    part := parent || '_' || to_char(today + d, 'YYYYMMDD');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, part, (today + d)::text || ' 00:00:00+00', (today + d + 1)::text || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

CREATE OR REPLACE FUNCTION muster_prepare_history(days integer) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
  AS 'SELECT muster_prepare_days(''muster_job_history'', days) + muster_prepare_days(''muster_job_logs'', days)
           + muster_prepare_days(''muster_metrics'', days)';

CREATE OR REPLACE FUNCTION muster_drop_day(parent text, retain interval) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  oldest text;
  last_kept date := ((muster_clock() - retain) AT TIME ZONE 'UTC')::date;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs', 'muster_metrics') THEN
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
  -- The lock that a drop needs makes writers queue behind it: give up soon, and let the caller come back.
  PERFORM set_config('lock_timeout', '200ms', true);
  EXECUTE format('DROP TABLE %I', oldest);
  RETURN oldest;
END $$;

SELECT muster_prepare_history(7);
