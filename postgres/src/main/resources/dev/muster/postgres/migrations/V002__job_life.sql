-- The rest of a job's life: dependencies, expiry, progress, log lines, tags, queues that can be paused, retention.

ALTER TABLE muster_jobs
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN progress smallint CHECK (progress BETWEEN 0 AND 100),
  ADD COLUMN progress_message text,
  ADD COLUMN tags text[];
COMMENT ON COLUMN muster_jobs.expires_at IS 'If nobody has claimed the job by then, it ends as expired.';
COMMENT ON COLUMN muster_jobs.progress IS 'Percent, as the handler last said.';
ALTER TABLE muster_job_history
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN progress smallint,
  ADD COLUMN progress_message text,
  ADD COLUMN tags text[];

-- Partial: a job without tags, metadata or expiry pays for none of these.
CREATE INDEX muster_jobs_expiry ON muster_jobs (expires_at) WHERE expires_at IS NOT NULL AND token IS NULL;
CREATE INDEX muster_jobs_waiting ON muster_jobs (id) WHERE status = 'waiting';
CREATE INDEX muster_jobs_tags ON muster_jobs USING gin (tags) WHERE tags IS NOT NULL;
CREATE INDEX muster_jobs_metadata ON muster_jobs USING gin (metadata jsonb_path_ops) WHERE metadata IS NOT NULL;
CREATE INDEX muster_job_history_tags ON muster_job_history USING gin (tags) WHERE tags IS NOT NULL;
CREATE INDEX muster_job_history_metadata ON muster_job_history USING gin (metadata jsonb_path_ops) WHERE metadata IS NOT NULL;

CREATE TABLE muster_job_dependencies (
  child  uuid NOT NULL,
  parent uuid NOT NULL,
  PRIMARY KEY (child, parent)
);
CREATE INDEX muster_job_dependencies_parent ON muster_job_dependencies (parent);
COMMENT ON TABLE muster_job_dependencies IS 'What waiting jobs wait for. An edge goes when its parent has completed; the last one makes the child pending.';

CREATE TABLE muster_queues (
  name      text        NOT NULL PRIMARY KEY,
  paused_at timestamptz
);
COMMENT ON TABLE muster_queues IS 'Queues that an operator has steered; others need no row.';
COMMENT ON COLUMN muster_queues.paused_at IS 'Since when nothing is claimed from it; null: it runs.';

CREATE SEQUENCE muster_job_log_seq;
CREATE TABLE muster_job_logs (
  job_id  uuid        NOT NULL,
  at      timestamptz NOT NULL,
  line    bigint      NOT NULL DEFAULT nextval('muster_job_log_seq'),
  attempt smallint    NOT NULL,
  level   text        NOT NULL CHECK (level IN ('info', 'warn', 'error')),
  message text        NOT NULL
) PARTITION BY RANGE (at);
CREATE INDEX muster_job_logs_job ON muster_job_logs (job_id, line);
COMMENT ON TABLE muster_job_logs IS 'What handlers said with ctx.log(), one partition per UTC day.';

CREATE FUNCTION muster_prepare_days(parent text, days integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  today date := (muster_clock() AT TIME ZONE 'UTC')::date;
  part  text;
  made  integer := 0;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs') THEN
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
COMMENT ON FUNCTION muster_prepare_days(text, integer) IS 'Creates missing partitions from yesterday to so many days ahead. Runs with its owner''s rights: a node''s role needs none to create tables.';

CREATE OR REPLACE FUNCTION muster_prepare_history(days integer) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
  AS 'SELECT muster_prepare_days(''muster_job_history'', days) + muster_prepare_days(''muster_job_logs'', days)';

CREATE FUNCTION muster_drop_day(parent text, retain interval) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  oldest text;
  last_kept date := ((muster_clock() - retain) AT TIME ZONE 'UTC')::date;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs') THEN
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
COMMENT ON FUNCTION muster_drop_day(text, interval) IS 'Drops the oldest partition that lies wholly before the retention and returns its name; null when there is none. Fails with lock_not_available rather than make writers wait.';

CREATE VIEW muster_job_overview AS
SELECT name, queue, status, count(*) AS jobs, min(run_at) AS oldest_run_at, max(attempt) AS max_attempt, max(crashes) AS max_crashes
FROM muster_jobs GROUP BY name, queue, status
UNION ALL
SELECT name, queue, status, count(*), min(run_at), max(attempt), max(crashes)
FROM muster_job_history GROUP BY name, queue, status;
COMMENT ON VIEW muster_job_overview IS 'How many jobs of which name are where.';

CREATE VIEW muster_stuck AS
SELECT j.id, j.name, j.queue, j.status, j.attempt, j.crashes, j.node_id, j.run_at, j.lease_until,
  CASE
    WHEN j.status IN ('claimed', 'running') AND j.lease_until < muster_clock() THEN 'its lease ran out and nobody has taken it over'
    WHEN j.status = 'waiting' AND NOT EXISTS (
      SELECT FROM muster_job_dependencies d JOIN muster_jobs p ON p.id = d.parent WHERE d.child = j.id)
      THEN 'everything it waits for has ended'
    WHEN q.paused_at IS NOT NULL THEN 'its queue is paused'
    WHEN j.status = 'pending' AND NOT EXISTS (
      SELECT FROM muster_nodes n WHERE n.handlers -> j.name IS NOT NULL
        AND n.last_heartbeat > muster_clock() - greatest(interval '15 seconds', 3 * n.heartbeat_interval))
      THEN 'no live node has a handler for it'
    ELSE 'it has been due for over a minute'
  END AS reason
FROM muster_jobs j LEFT JOIN muster_queues q ON q.name = j.queue
WHERE (j.status IN ('claimed', 'running') AND j.lease_until < muster_clock() - interval '1 minute')
   OR (j.status = 'pending' AND j.ready_at < muster_clock() - interval '1 minute')
   OR (j.status = 'waiting' AND j.created_at < muster_clock() - interval '1 minute' AND NOT EXISTS (
        SELECT FROM muster_job_dependencies d JOIN muster_jobs p ON p.id = d.parent WHERE d.child = j.id));
COMMENT ON VIEW muster_stuck IS 'Live jobs that should have moved on by now, and what may hold them.';

-- They run with their owner's rights: only roles that were granted them may call them.
REVOKE EXECUTE ON FUNCTION muster_prepare_days(text, integer), muster_prepare_history(integer),
  muster_drop_day(text, interval) FROM PUBLIC;

SELECT muster_prepare_history(7);
