-- Workflows: their versions, their runs, and the steps and events of runs.

CREATE TABLE muster_workflow_definitions (
  name         text        NOT NULL,
  version      text        NOT NULL,
  signature    text        NOT NULL,
  lifecycle    text        NOT NULL,
  steps        text[]      NOT NULL,
  queue        text        NOT NULL,
  capability   text        NOT NULL,
  priority     smallint    NOT NULL,
  max_crashes  smallint    NOT NULL,
  first_seen   timestamptz NOT NULL,
  published_at timestamptz NOT NULL,
  PRIMARY KEY (name, version, signature)
);
COMMENT ON TABLE muster_workflow_definitions IS 'Versions of workflows that nodes have published. Which live nodes have them: the driver''s name among their handlers.';
COMMENT ON COLUMN muster_workflow_definitions.lifecycle IS 'active: new runs get the newest; deprecated: no new runs; staging: new runs that name the version.';

CREATE TABLE muster_workflow_pauses (
  name      text        NOT NULL PRIMARY KEY,
  paused_at timestamptz NOT NULL
);
COMMENT ON TABLE muster_workflow_pauses IS 'Workflows whose runs do not continue.';

-- Operators write here by hand: so there are no generated columns, and a trigger cleans up behind them.
CREATE TABLE muster_workflow_runs (
  id                uuid        NOT NULL PRIMARY KEY,
  workflow_name     text        NOT NULL,
  workflow_version  text        NOT NULL,
  signature         text        NOT NULL,
  status            text        NOT NULL DEFAULT 'pending' CHECK (status IN (
    'pending', 'sleeping', 'waiting', 'compensating', 'blocked_missing_handler', 'blocked_missing_version',
    'blocked_signature_mismatch', 'completed', 'compensated', 'failed', 'retired_unresumable', 'cancelled_by_operator')),
  resolution_reason text,
  input             jsonb       NOT NULL,
  result            jsonb,
  error             text,
  key               text,
  parent_run        uuid,
  parent_path       text,
  awaiting          text[],
  wake_at           timestamptz,
  cancel_requested  boolean     NOT NULL DEFAULT false,
  ends_as           text,
  queue             text        NOT NULL,
  capability        text        NOT NULL,
  priority          smallint    NOT NULL,
  max_crashes       smallint    NOT NULL,
  steps_from        timestamptz NOT NULL,
  trace             text,
  created_at        timestamptz NOT NULL,
  changed_at        timestamptz NOT NULL,
  finished_at       timestamptz
);
CREATE INDEX muster_workflow_runs_live ON muster_workflow_runs (workflow_name, workflow_version, signature, id) WHERE finished_at IS NULL;
CREATE INDEX muster_workflow_runs_live_id ON muster_workflow_runs (id) WHERE finished_at IS NULL;
CREATE INDEX muster_workflow_runs_ended ON muster_workflow_runs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX muster_workflow_runs_steps ON muster_workflow_runs (steps_from);
CREATE UNIQUE INDEX muster_workflow_runs_key ON muster_workflow_runs (workflow_name, key) WHERE key IS NOT NULL;
COMMENT ON TABLE muster_workflow_runs IS 'Runs of workflows. A live run has a job with the same id, its driver; while a node holds it, the run is running.';
COMMENT ON COLUMN muster_workflow_runs.ends_as IS 'The status that a compensating run gets when it has compensated everything.';
COMMENT ON COLUMN muster_workflow_runs.steps_from IS 'The day under which the run''s steps are stored.';
COMMENT ON COLUMN muster_workflow_runs.awaiting IS 'The events that end its wait.';

CREATE SEQUENCE muster_workflow_step_seq;
COMMENT ON SEQUENCE muster_workflow_step_seq IS 'The order in which steps were stored; compensations run in the reverse order.';

CREATE TABLE muster_workflow_steps (
  run_id            uuid        NOT NULL,
  path              text        NOT NULL,
  steps_from        timestamptz NOT NULL,
  seq               bigint      NOT NULL,
  token             bigint      NOT NULL,
  attempt           smallint    NOT NULL,
  stored_at         timestamptz NOT NULL,
  due_at            timestamptz,
  kind              text        NOT NULL,
  status            text        NOT NULL,
  name              text        NOT NULL,
  node_id           text,
  result            jsonb,
  error             text,
  compensation      text,
  compensation_args jsonb,
  PRIMARY KEY (run_id, path, steps_from)
) PARTITION BY RANGE (steps_from);
COMMENT ON TABLE muster_workflow_steps IS 'Steps of runs, one partition per UTC day on which their runs were started. A completed, failed or timed-out step never changes.';
COMMENT ON COLUMN muster_workflow_steps.path IS 'Its position in the code: the n-th call has the path n, calls of parallel branches are below it. Compensations: c. and the path of their step.';
COMMENT ON COLUMN muster_workflow_steps.token IS 'Fence of the claim under which it was stored.';

CREATE TABLE muster_workflow_events (
  run_id   uuid        NOT NULL,
  event_id text        NOT NULL,
  name     text        NOT NULL,
  payload  jsonb,
  sent_at  timestamptz NOT NULL,
  taken_by text,
  PRIMARY KEY (run_id, event_id)
);
CREATE INDEX muster_workflow_events_open ON muster_workflow_events (run_id, name, sent_at) WHERE taken_by IS NULL;
COMMENT ON TABLE muster_workflow_events IS 'Events that were sent to runs.';
COMMENT ON COLUMN muster_workflow_events.taken_by IS 'The path of the step that waited for it; null if none has yet.';
