-- Jobs that have ended, and what handlers logged. Both are partitioned by day: R__functions_days.sql creates and drops the partitions.

-- There is no check on status: comparing each completed job with every possible status would cost a few percent of its completion.
-- Only Muster's own statements write here, and they name the status.
CREATE TABLE muster_job_history (
  id               uuid        NOT NULL,
  token            bigint,
  finished_at      timestamptz NOT NULL,
  run_at           timestamptz NOT NULL,
  created_at       timestamptz NOT NULL,
  started_at       timestamptz,
  timeout_ms       bigint,
  priority         smallint    NOT NULL,
  attempt          smallint    NOT NULL,
  max_attempts     smallint,
  crashes          smallint    NOT NULL,
  max_crashes      smallint,
  status           text        NOT NULL,
  name             text        NOT NULL,
  queue            text        NOT NULL,
  capability       text        NOT NULL,
  node_id          text,
  key              text,
  error            text,
  args             jsonb       NOT NULL,
  metadata         jsonb,
  result           jsonb,
  expires_at       timestamptz,
  progress         smallint,
  progress_message text,
  tags             text[],
  depends_on       uuid[],
  depends_on_any   uuid[]
) PARTITION BY RANGE (finished_at);
COMMENT ON TABLE muster_job_history IS 'Jobs that have ended, one partition per UTC day.';
COMMENT ON COLUMN muster_job_history.token IS 'Fence of the claim whose outcome was accepted; null if it ended unclaimed.';
COMMENT ON COLUMN muster_job_history.error IS 'Why it failed, was cancelled or expired. Of a completed job: the failure of its last attempt that failed; null if none did.';
COMMENT ON COLUMN muster_job_history.result IS 'JSON, or an envelope as in args.';
CREATE INDEX muster_job_history_id ON muster_job_history (id);
-- For finding the few jobs that did not complete among the many that did.
CREATE INDEX muster_job_history_unhappy ON muster_job_history (finished_at) WHERE status <> 'completed';
CREATE INDEX muster_job_history_tags ON muster_job_history USING gin (tags) WHERE tags IS NOT NULL;
CREATE INDEX muster_job_history_metadata ON muster_job_history USING gin (metadata jsonb_path_ops) WHERE metadata IS NOT NULL;
-- For metrics. This is a block range index: it finds one minute among a day's jobs and costs completions next to nothing. Ranges are
-- summarized as they fill up, so that only the newest range is read in vain.
CREATE INDEX muster_job_history_finished ON muster_job_history
  USING brin (finished_at) WITH (pages_per_range = 64, autosummarize = on);

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
