-- Jobs, their history, idempotency keys, and the nodes that run them.
-- Unqualified on purpose: whoever runs this sets search_path to Muster's schema.

-- The database's clock is the only one that counts. Tests replace these two functions to travel in time.
CREATE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
  AS 'SELECT pg_catalog.clock_timestamp()';
COMMENT ON FUNCTION muster_clock() IS 'Now, moving within a transaction; for leases and due times.';
CREATE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  AS 'SELECT pg_catalog.statement_timestamp()';
COMMENT ON FUNCTION muster_statement_clock() IS 'Now, fixed within a statement, so that an index can be searched for it.';

CREATE SEQUENCE muster_job_token_seq CACHE 1;
COMMENT ON SEQUENCE muster_job_token_seq IS 'Fence tokens: every claim of any job gets the next one.';

CREATE TABLE muster_jobs (
  id               uuid        NOT NULL PRIMARY KEY,
  token            bigint,
  ready_at         timestamptz NOT NULL,
  lease_until      timestamptz,
  run_at           timestamptz NOT NULL,
  created_at       timestamptz NOT NULL,
  started_at       timestamptz,
  timeout_ms       bigint,
  rank             smallint    NOT NULL,
  priority         smallint    NOT NULL CHECK (priority IN (0, 25, 50, 75, 100)),
  attempt          smallint    NOT NULL DEFAULT 0,
  max_attempts     smallint,
  crashes          smallint    NOT NULL DEFAULT 0,
  max_crashes      smallint,
  suspect          boolean     NOT NULL DEFAULT false,
  cancel_requested boolean     NOT NULL DEFAULT false,
  status           text        NOT NULL CHECK (status IN ('waiting', 'pending', 'claimed', 'running')),
  name             text        NOT NULL,
  queue            text        NOT NULL,
  capability       text        NOT NULL DEFAULT '',
  node_id          text,
  key              text,
  error            text,
  args             jsonb       NOT NULL,
  metadata         jsonb
) WITH (
  -- Rows live for a second and are rewritten twice: vacuum early and without pauses.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1,
  autovacuum_vacuum_insert_threshold = -1
);
COMMENT ON TABLE muster_jobs IS 'Live jobs. A job that has ended stands in muster_job_history.';
COMMENT ON COLUMN muster_jobs.token IS 'Fence of the current claim; null while nobody holds the job. Every write about a claim names it.';
COMMENT ON COLUMN muster_jobs.ready_at IS 'When the job became or becomes claimable. Never in the past when written, so claimers may look forward only.';
COMMENT ON COLUMN muster_jobs.run_at IS 'When the job is due, as asked for.';
COMMENT ON COLUMN muster_jobs.rank IS 'Claim order: the priority, plus 1 for a job that was handed back and goes first in its priority.';
COMMENT ON COLUMN muster_jobs.attempt IS 'The attempt that the current claim is for, or the last one that failed.';
COMMENT ON COLUMN muster_jobs.max_attempts IS 'Null until a node that knows the handler has said.';
COMMENT ON COLUMN muster_jobs.crashes IS 'Claims that died with their node after their start had been written.';
COMMENT ON COLUMN muster_jobs.suspect IS 'An earlier claim died with its node: it starts alone, after its running is committed.';
COMMENT ON COLUMN muster_jobs.capability IS 'Empty: any node may run it.';

-- Claims walk (queue, capability) by rank, each along ready_at: index order is claim order at any backlog.
CREATE INDEX muster_jobs_ready ON muster_jobs (queue, capability, rank, ready_at) WHERE status = 'pending';
-- The sweep for expired leases.
CREATE INDEX muster_jobs_lease ON muster_jobs (lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE muster_job_history (
  id           uuid        NOT NULL,
  token        bigint,
  finished_at  timestamptz NOT NULL,
  run_at       timestamptz NOT NULL,
  created_at   timestamptz NOT NULL,
  started_at   timestamptz,
  timeout_ms   bigint,
  priority     smallint    NOT NULL,
  attempt      smallint    NOT NULL,
  max_attempts smallint,
  crashes      smallint    NOT NULL,
  max_crashes  smallint,
  status       text        NOT NULL CHECK (status IN ('completed', 'failed', 'cancelled', 'expired')),
  name         text        NOT NULL,
  queue        text        NOT NULL,
  capability   text        NOT NULL,
  node_id      text,
  key          text,
  error        text,
  args         jsonb       NOT NULL,
  metadata     jsonb,
  result       jsonb
) PARTITION BY RANGE (finished_at);
COMMENT ON TABLE muster_job_history IS 'Jobs that have ended, one partition per UTC day.';
COMMENT ON COLUMN muster_job_history.token IS 'Fence of the claim whose outcome was accepted; null if it ended unclaimed.';
CREATE INDEX muster_job_history_id ON muster_job_history (id);
-- The few that need attention, findable among the many that do not.
CREATE INDEX muster_job_history_unhappy ON muster_job_history (finished_at) WHERE status <> 'completed';

CREATE FUNCTION muster_prepare_history(days integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  today date := (muster_clock() AT TIME ZONE 'UTC')::date;
  part  text;
  made  integer := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM generate_series(-1, days) d
                 WHERE to_regclass('muster_job_history_' || to_char(today + d, 'YYYYMMDD')) IS NULL) THEN
    RETURN 0;
  END IF;
  -- Conflicts with itself and with nothing that reads or writes: nodes that start together take turns.
  LOCK TABLE muster_job_history IN SHARE UPDATE EXCLUSIVE MODE;
  FOR d IN -1 .. days LOOP
    part := 'muster_job_history_' || to_char(today + d, 'YYYYMMDD');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE muster_job_history INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', part);
      EXECUTE format('ALTER TABLE muster_job_history ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        part, (today + d)::text || ' 00:00:00+00', (today + d + 1)::text || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;
COMMENT ON FUNCTION muster_prepare_history(integer) IS 'Creates missing history partitions from yesterday to so many days ahead. Runs with its owner''s rights: a node''s role needs none to create tables.';

CREATE TABLE muster_job_keys (
  name       text        NOT NULL,
  key        text        NOT NULL,
  job_id     uuid        NOT NULL,
  args_hash  bytea       NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (name, key)
);
COMMENT ON TABLE muster_job_keys IS 'Idempotency keys: one job per (name, key), also after it has ended.';

CREATE TABLE muster_nodes (
  id                  text        NOT NULL PRIMARY KEY,
  incarnation         uuid        NOT NULL,
  name                text,
  status              text        NOT NULL CHECK (status IN ('joining', 'active', 'draining', 'stale', 'dead')),
  last_heartbeat      timestamptz NOT NULL,
  heartbeat_interval  interval    NOT NULL,
  started_at          timestamptz NOT NULL,
  node_info           text        NOT NULL DEFAULT '',
  roles               text[]      NOT NULL DEFAULT '{worker}',
  queues              text[],
  capabilities        text[]      NOT NULL DEFAULT '{}',
  handlers            jsonb       NOT NULL DEFAULT '{}',
  current_connections integer     NOT NULL DEFAULT 0,
  current_jobs        integer     NOT NULL DEFAULT 0,
  cpu_usage           double precision NOT NULL DEFAULT 0,
  memory_usage        bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_nodes IS 'The nodes of the cluster, one row each.';
COMMENT ON COLUMN muster_nodes.incarnation IS 'Changes with every start; a write that names an older one changes nothing.';
COMMENT ON COLUMN muster_nodes.queues IS 'Null: all queues.';
COMMENT ON COLUMN muster_nodes.handlers IS 'The jobs it can run, with the defaults of each.';
COMMENT ON COLUMN muster_nodes.cpu_usage IS 'Share of the machine''s CPU used by the process, 0 to 1.';
COMMENT ON COLUMN muster_nodes.memory_usage IS 'Bytes of heap in use.';

SELECT muster_prepare_history(7);
