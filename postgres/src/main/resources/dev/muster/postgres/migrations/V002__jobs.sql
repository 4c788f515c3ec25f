-- Live jobs, their claims, what they wait for, their idempotency keys, and queues.

CREATE SEQUENCE muster_job_token_seq CACHE 1;
COMMENT ON SEQUENCE muster_job_token_seq IS 'Fence tokens: every claim of any job gets the next one.';

-- The order of the columns is part of what was measured.
-- Defaults are for COPY, which computes nothing: they are those of a job that is due at once. They use the clock that stands still
-- within a statement, because with a volatile clock COPY would write row by row. ready_at has no default: each job has its own.
-- PostgreSQL parses every check constraint for each statement. Three checks took a seventh of an insert of eight jobs, so there
-- is one. It refuses rows that a mistake or an older program could write and that would never run: waiting jobs with a time, and jobs
-- that do not run and have none. The client refuses everything else.
CREATE TABLE muster_jobs (
  id               uuid        NOT NULL PRIMARY KEY,
  token            bigint,
  ready_at         timestamptz,
  lease_until      timestamptz,
  run_at           timestamptz NOT NULL DEFAULT muster_statement_clock(),
  created_at       timestamptz NOT NULL DEFAULT muster_statement_clock(),
  started_at       timestamptz,
  timeout_ms       bigint,
  rank             smallint    NOT NULL,
  priority         smallint    NOT NULL,
  attempt          smallint    NOT NULL DEFAULT 0,
  max_attempts     smallint,
  crashes          smallint    NOT NULL DEFAULT 0,
  max_crashes      smallint,
  suspect          boolean     NOT NULL DEFAULT false,
  cancel_requested boolean     NOT NULL DEFAULT false,
  status           text        NOT NULL DEFAULT 'pending',
  name             text        NOT NULL,
  queue            text        NOT NULL,
  capability       text        NOT NULL DEFAULT '',
  node_id          text,
  key              text,
  error            text,
  args             jsonb       NOT NULL,
  metadata         jsonb,
  expires_at       timestamptz,
  progress         smallint,
  progress_message text,
  tags             text[],
  depends_on       uuid[],
  depends_on_any   uuid[],
  CONSTRAINT muster_jobs_status_check CHECK (
    CASE WHEN ready_at IS NULL THEN status = 'running' ELSE (ready_at = 'infinity') = (status = 'waiting') END)
) WITH (
  -- Rows live for about a second and are updated twice, so autovacuum runs early and without pauses.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1,
  autovacuum_vacuum_insert_threshold = -1,
  -- PostgreSQL updates a row without touching any index if no indexed column changes and the page has room for the new version
  -- ("heap-only tuple"). So no column that a claim writes is in an index or in an index's condition, pages are filled to less than
  -- half, and muster_claims records which rows are claimed.
  fillfactor = 40
);
COMMENT ON TABLE muster_jobs IS 'Live jobs. A job that has ended stands in muster_job_history.';
COMMENT ON COLUMN muster_jobs.token IS 'Fence of the current claim; null while nobody holds the job. Every write about a claim names it.';
COMMENT ON COLUMN muster_jobs.ready_at IS 'When the job became or becomes claimable; never in the past when written, so claimers may look forward only. Infinity while it waits for others; null once it is shown as running.';
COMMENT ON COLUMN muster_jobs.run_at IS 'When the job is due, as asked for.';
COMMENT ON COLUMN muster_jobs.rank IS 'Claim order: the priority, plus 1 for a job that was handed back and goes first in its priority.';
COMMENT ON COLUMN muster_jobs.attempt IS 'The attempt that the current claim is for, or the last one that failed.';
COMMENT ON COLUMN muster_jobs.max_attempts IS 'Null until a node that knows the handler has said.';
COMMENT ON COLUMN muster_jobs.crashes IS 'Claims that died with their node after their start had been written.';
COMMENT ON COLUMN muster_jobs.suspect IS 'An earlier claim died with its node: it starts alone, after its running is committed.';
COMMENT ON COLUMN muster_jobs.capability IS 'Empty: any node may run it.';
COMMENT ON COLUMN muster_jobs.args IS 'JSON, or the envelope of encrypted JSON: {"$muster": scheme, "kid": key id, "data": base64}.';
COMMENT ON COLUMN muster_jobs.expires_at IS 'If nobody has claimed the job by then, it ends as expired.';
COMMENT ON COLUMN muster_jobs.progress IS 'Percent, as the handler last said.';
COMMENT ON COLUMN muster_jobs.depends_on IS 'The jobs that have to complete before this one runs. Null: none.';
COMMENT ON COLUMN muster_jobs.depends_on_any IS 'The jobs that have to end before this one runs, however they end. Null: none.';

-- Claims walk (queue, capability) by rank, each along ready_at: index order is claim order, however large the backlog is. A claimed
-- job stays in the index until it has ended or is marked as running; claims skip it.
CREATE INDEX muster_jobs_ready ON muster_jobs (queue, capability, rank, ready_at) WHERE ready_at < 'infinity';
-- These indexes are partial: a job without dependencies, expiry or tags costs nothing in them.
-- There is no index of metadata. A trace id is a new entry for each job, and an index of it on this table took 13 percent of what the
-- server spends on an enqueue. A search for live jobs by metadata reads the whole live table; ended jobs are found by the index of
-- history, which takes 8 percent of a completion.
CREATE INDEX muster_jobs_waiting ON muster_jobs (id) WHERE ready_at = 'infinity';
CREATE INDEX muster_jobs_expiry ON muster_jobs (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX muster_jobs_tags ON muster_jobs USING gin (tags) WHERE tags IS NOT NULL;

CREATE TABLE muster_claims (
  node_id     text        NOT NULL,
  number       bigint      NOT NULL,
  lease_until timestamptz NOT NULL,
  ids         uuid[]      NOT NULL,
  PRIMARY KEY (node_id, number)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000, toast.autovacuum_vacuum_cost_delay = 0
);
-- Time-ordered ids hardly compress. CREATE TABLE can set the storage only from PostgreSQL 16 on.
ALTER TABLE muster_claims ALTER COLUMN ids SET STORAGE EXTERNAL;
COMMENT ON TABLE muster_claims IS 'Which jobs were claimed together, and by whom. A hint where to look: what holds is the job''s own row. Every job that is claimed or running is named here, and others may still be.';
COMMENT ON COLUMN muster_claims.number IS 'From the sequence of tokens, so no two claims of a node share one.';
COMMENT ON COLUMN muster_claims.lease_until IS 'When to look whether the leases of these jobs have run out. A job''s own lease may have been renewed since.';
-- For the sweep of leases that ran out.
CREATE INDEX muster_claims_lease ON muster_claims (lease_until);

CREATE TABLE muster_job_dependencies (
  child       uuid    NOT NULL,
  parent      uuid    NOT NULL,
  any_outcome boolean NOT NULL DEFAULT false,
  PRIMARY KEY (child, parent)
);
CREATE INDEX muster_job_dependencies_parent ON muster_job_dependencies (parent);
COMMENT ON TABLE muster_job_dependencies IS 'What waiting jobs wait for. An edge goes when its parent has completed, or with any_outcome when it has ended; the last one makes the child pending.';
COMMENT ON COLUMN muster_job_dependencies.any_outcome IS 'The child waits for the end of the parent, however it ends.';

CREATE TABLE muster_job_keys (
  name       text        NOT NULL,
  key        text        NOT NULL,
  job_id     uuid        NOT NULL,
  args_hash  bytea       NOT NULL,
  created_at timestamptz NOT NULL,
  args_kid   text,
  PRIMARY KEY (name, key)
);
COMMENT ON TABLE muster_job_keys IS 'Idempotency keys: one job per (name, key), also after it has ended.';
COMMENT ON COLUMN muster_job_keys.args_hash IS 'SHA-256 of the args, or, if they are encrypted, an HMAC of name, key and args under the encryption key args_kid.';
COMMENT ON COLUMN muster_job_keys.args_kid IS 'Null: the args are in plain text.';

CREATE TABLE muster_queues (
  name      text        NOT NULL PRIMARY KEY,
  paused_at timestamptz
);
COMMENT ON TABLE muster_queues IS 'Queues that an operator has steered; others need no row.';
COMMENT ON COLUMN muster_queues.paused_at IS 'Since when nothing is claimed from it; null: it runs.';
