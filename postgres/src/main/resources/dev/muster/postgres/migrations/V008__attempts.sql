-- Attempts that did not end their job. Partitioned by day: R__functions_days.sql creates and drops the partitions.

-- An attempt that completes its job, or is its last one, leaves no row here: history has it. So a job that completes at its first
-- attempt writes nothing. There is no check, as in history: only Muster's own statements write here.
CREATE TABLE muster_job_attempts (
  job_id     uuid        NOT NULL,
  token      bigint      NOT NULL,
  started_at timestamptz,
  ended_at   timestamptz NOT NULL,
  attempt    smallint    NOT NULL,
  outcome    text        NOT NULL,
  node_id    text,
  error      text
) PARTITION BY RANGE (ended_at);
CREATE INDEX muster_job_attempts_job ON muster_job_attempts (job_id, token);
COMMENT ON TABLE muster_job_attempts IS 'Attempts after which a job was run again, one partition per UTC day. The last attempt of an ended job is in muster_job_history.';
COMMENT ON COLUMN muster_job_attempts.token IS 'Fence of the claim. Later claims have higher ones.';
COMMENT ON COLUMN muster_job_attempts.started_at IS 'Null if it is not known whether or when the handler was entered.';
COMMENT ON COLUMN muster_job_attempts.attempt IS 'The number of the attempt. One that did not count has the same number as the next.';
COMMENT ON COLUMN muster_job_attempts.outcome IS 'retried, snoozed or released: its node gave it up; lost: its node died or lost the claim; crashed: the handler ended its node. failed, cancelled: the last attempt of a job that was retried on request.';
