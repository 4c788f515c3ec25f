-- Placements that are in use, and batches of jobs.

-- Nodes ask each lane by itself, so a queue has a bounded number of them. A slot can be taken once: so the number holds however many
-- programs enqueue at the same time, and nobody has to count or to lock anything else.
CREATE TABLE muster_placements (
  queue      text        NOT NULL,
  slot       smallint    NOT NULL CHECK (slot BETWEEN 1 AND 200),
  expression text        NOT NULL,
  used_at    timestamptz NOT NULL,
  PRIMARY KEY (queue, slot),
  UNIQUE (queue, expression)
);
COMMENT ON TABLE muster_placements IS 'Expressions that jobs of a queue have as their capability, at most 200 per queue.';
COMMENT ON COLUMN muster_placements.used_at IS 'When a job with it was last enqueued, give or take an hour. Upkeep removes it a day later if no job has it.';

-- A job belongs to a batch by this column. The indexes hold jobs of batches only, and no claim writes their columns. The live one is
-- ordered by a column that no other index is ordered by, so that no plan walks the primary key instead.
ALTER TABLE muster_jobs ADD COLUMN batch_id uuid;
CREATE INDEX muster_jobs_batch ON muster_jobs (batch_id, created_at) WHERE batch_id IS NOT NULL;
COMMENT ON COLUMN muster_jobs.batch_id IS 'The batch that it belongs to. Null: none.';
ALTER TABLE muster_job_history ADD COLUMN batch_id uuid;
CREATE INDEX muster_job_history_batch ON muster_job_history (batch_id, status) WHERE batch_id IS NOT NULL;

CREATE TABLE muster_batches (
  id               uuid        NOT NULL PRIMARY KEY,
  name             text        NOT NULL,
  condition        text        NOT NULL CHECK (condition IN ('all', 'any', 'success_rate', 'decided')),
  success_rate     double precision,
  status           text        NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'sealed', 'succeeded', 'failed', 'cancelled')),
  cancel_requested boolean     NOT NULL DEFAULT false,
  completion_job   uuid,
  deciding_job     uuid,
  asked_at         timestamptz,
  live             bigint      NOT NULL DEFAULT 0,
  completed        bigint      NOT NULL DEFAULT 0,
  failed           bigint      NOT NULL DEFAULT 0,
  cancelled        bigint      NOT NULL DEFAULT 0,
  expired          bigint      NOT NULL DEFAULT 0,
  created_at       timestamptz NOT NULL,
  sealed_at        timestamptz,
  closed_at        timestamptz,
  CHECK ((closed_at IS NULL) = (status IN ('open', 'sealed')))
);
CREATE INDEX muster_batches_sealed ON muster_batches (id) WHERE closed_at IS NULL AND sealed_at IS NOT NULL;
CREATE INDEX muster_batches_open ON muster_batches (created_at) WHERE closed_at IS NULL;
CREATE INDEX muster_batches_closed ON muster_batches (closed_at) WHERE closed_at IS NOT NULL;
COMMENT ON TABLE muster_batches IS 'Batches of jobs. Whoever adds a job holds a shared lock on the row, whoever closes the batch an exclusive one.';
COMMENT ON COLUMN muster_batches.completion_job IS 'The job that is enqueued when the batch closes; its id was drawn when the batch was created.';
COMMENT ON COLUMN muster_batches.deciding_job IS 'The job that decides whether the batch has succeeded, if its condition is that.';
COMMENT ON COLUMN muster_batches.asked_at IS 'When the deciding job was enqueued.';
COMMENT ON COLUMN muster_batches.completed IS 'Of a closed batch: how many jobs had completed when it closed. Before that: how many of those are gone from history; the same for failed, cancelled and expired.';
COMMENT ON COLUMN muster_batches.live IS 'How many jobs had not ended when the batch closed.';

CREATE TABLE muster_batch_jobs (
  batch_id     uuid     NOT NULL,
  job_id       uuid     NOT NULL,
  name         text     NOT NULL,
  queue        text     NOT NULL,
  capability   text     NOT NULL,
  priority     smallint NOT NULL,
  max_attempts smallint,
  max_crashes  smallint,
  timeout_ms   bigint,
  args         jsonb    NOT NULL,
  metadata     jsonb,
  tags         text[],
  PRIMARY KEY (batch_id, job_id)
);
COMMENT ON TABLE muster_batch_jobs IS 'Jobs that batches enqueue themselves, until they do: completion jobs and deciding jobs.';
COMMENT ON COLUMN muster_batch_jobs.args IS 'JSON, or an envelope as in muster_jobs.';
