-- Metrics per minute. The metrics_aggregator computes them from history, so nothing is counted while jobs run.

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
COMMENT ON TABLE muster_metrics_progress IS 'Up to when figures are written, one row. After a gap the next leader continues here.';
INSERT INTO muster_metrics_progress (done_to)
VALUES (to_timestamp(floor(date_part('epoch', muster_clock()) / 60) * 60));
