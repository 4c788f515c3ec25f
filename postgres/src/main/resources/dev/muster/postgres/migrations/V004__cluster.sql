-- Nodes, leaders, the server that the tables are on, and named locks.

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
  memory_usage        bigint      NOT NULL DEFAULT 0,
  address             text,
  lease               interval,
  daemons             text[]      NOT NULL DEFAULT '{}',
  in_touch_since      timestamptz,
  claims_before       bigint,
  drain_requested     boolean     NOT NULL DEFAULT false,
  labels              jsonb       NOT NULL DEFAULT '{}',
  claiming            boolean     NOT NULL DEFAULT true
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_nodes IS 'The nodes of the cluster, one row each.';
COMMENT ON COLUMN muster_nodes.incarnation IS 'Changes with every start; a write that names an older one changes nothing.';
COMMENT ON COLUMN muster_nodes.status IS 'joining, active, draining; stale or dead in the eyes of the others. Set it to draining to let the node finish and leave.';
COMMENT ON COLUMN muster_nodes.heartbeat_interval IS 'The longest time until its next heartbeat, written before the node keeps it. It is stale after twice, dead after three times this, or after the thresholds of the node that judges it if those are longer.';
COMMENT ON COLUMN muster_nodes.roles IS 'gateway, function, worker, scheduler.';
COMMENT ON COLUMN muster_nodes.queues IS 'Null: all queues.';
COMMENT ON COLUMN muster_nodes.handlers IS 'The jobs it can run, with the defaults of each.';
COMMENT ON COLUMN muster_nodes.current_connections IS 'Connections that the node had in use at the last heartbeat.';
COMMENT ON COLUMN muster_nodes.current_jobs IS 'Jobs whose handler ran at the last heartbeat.';
COMMENT ON COLUMN muster_nodes.cpu_usage IS 'Share of the machine''s CPU used by the process, 0 to 1.';
COMMENT ON COLUMN muster_nodes.memory_usage IS 'Bytes of heap in use.';
COMMENT ON COLUMN muster_nodes.address IS 'At which other nodes reach it; null: not told.';
COMMENT ON COLUMN muster_nodes.lease IS 'How long its claims hold: a claim or renewal made t ago says that the node lived t ago. Null: not told.';
COMMENT ON COLUMN muster_nodes.daemons IS 'The daemons it can run; empty once it is not to get any.';
COMMENT ON COLUMN muster_nodes.in_touch_since IS 'The node knows the database to have been available from then until its last heartbeat. Null: not told.';
COMMENT ON COLUMN muster_nodes.claims_before IS 'The last number of the sequence of tokens at the last heartbeat: claims with a higher one came later. Null: not told.';
COMMENT ON COLUMN muster_nodes.drain_requested IS 'The node was declared dead while it was to drain: if the same process joins again, it drains.';
COMMENT ON COLUMN muster_nodes.labels IS 'Keys and values from node.labels, as in {"zone": "eu"}.';
COMMENT ON COLUMN muster_nodes.claiming IS 'worker.claiming of the node: false for a single worker, beside which no other joins.';

-- Notifies the nodes that one has joined, left or changed its status. A heartbeat changes none of these and sends nothing.
CREATE FUNCTION muster_nodes_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.pg_notify('muster_' || TG_TABLE_SCHEMA, 'nodes');
  RETURN NULL;
END $$;
COMMENT ON FUNCTION muster_nodes_changed() IS 'Wakes the nodes, so that each looks at its row.';
CREATE TRIGGER muster_nodes_came_or_went AFTER INSERT OR DELETE ON muster_nodes
  FOR EACH STATEMENT EXECUTE FUNCTION muster_nodes_changed();
CREATE TRIGGER muster_nodes_changed AFTER UPDATE OF status, incarnation ON muster_nodes
  FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.incarnation <> NEW.incarnation)
  EXECUTE FUNCTION muster_nodes_changed();

-- The thresholds for muster_verdicts() without arguments, which everything uses that asks who is alive, except the judging node.
CREATE TABLE muster_settings (
  only_row        boolean  NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
  stale_threshold interval NOT NULL DEFAULT interval '10 seconds',
  dead_threshold  interval NOT NULL DEFAULT interval '15 seconds'
);
COMMENT ON TABLE muster_settings IS 'The settings of the cluster that SQL has to know, one row. A node that joins writes its own settings here if they differ.';
COMMENT ON COLUMN muster_settings.stale_threshold IS 'cluster.stale_threshold of the node that joined last.';
COMMENT ON COLUMN muster_settings.dead_threshold IS 'cluster.dead_threshold of the node that joined last.';
INSERT INTO muster_settings DEFAULT VALUES;

-- worker.claiming = false is for a single worker, whose claims have no leases. The transaction in which a worker joins decides
-- whether it may, under a lock on the one row of muster_single_worker: a shared lock for workers with leases, which may join at the
-- same time, and an exclusive lock for a worker without.
CREATE TABLE muster_single_worker (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row)
);
COMMENT ON TABLE muster_single_worker IS 'One row, which workers lock while they join, so that none joins beside one with worker.claiming = false.';
INSERT INTO muster_single_worker DEFAULT VALUES;

-- The leaders. The row decides who leads; advisory locks only make a change of leader faster.
CREATE TABLE muster_leaders (
  role            text        NOT NULL PRIMARY KEY,
  node_id         text,
  incarnation     uuid,
  term            bigint      NOT NULL DEFAULT 0,
  timeline        bigint      NOT NULL DEFAULT 0,
  strategy        text        CHECK (strategy IN ('advisory', 'lease')),
  since           timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  session_pid     integer,
  session_started timestamptz,
  CHECK ((node_id IS NULL) = (incarnation IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_leaders IS 'Who leads, one row per role. Every write made as leader checks its row in the same transaction.';
COMMENT ON COLUMN muster_leaders.node_id IS 'Null before the first election and after the leader gave it up.';
COMMENT ON COLUMN muster_leaders.incarnation IS 'Of the node; with term and timeline the fence of every write made as leader.';
COMMENT ON COLUMN muster_leaders.term IS 'Raised by every election.';
COMMENT ON COLUMN muster_leaders.timeline IS 'Of muster_server at the election. Once that has been raised the reign is over.';
COMMENT ON COLUMN muster_leaders.strategy IS 'Of the last election; null: there was none.';
COMMENT ON COLUMN muster_leaders.since IS 'When the reign began, or ended if nobody leads.';
COMMENT ON COLUMN muster_leaders.expires_at IS 'After this, unless renewed, anyone may take over.';
COMMENT ON COLUMN muster_leaders.session_pid IS 'The server process of the leader''s control connection, as of its last renewal.';
COMMENT ON COLUMN muster_leaders.session_started IS 'When that process started: process ids are used again.';
-- The rows exist from the start, so that a take-over always has a row to lock.
INSERT INTO muster_leaders (role, since, expires_at)
SELECT role, muster_clock(), muster_clock() FROM unnest(ARRAY['scheduler', 'metrics_aggregator', 'log_compactor']) role;

-- Muster's own count of servers, which orders fences across failovers, upgrades, restores and moves. R__functions_server.sql
-- writes the row.
CREATE TABLE muster_server (
  only_row          boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
  timeline          bigint      NOT NULL,
  wal_timeline      bigint      NOT NULL,
  system_identifier bigint,
  table_oid         oid         NOT NULL,
  since             timestamptz NOT NULL
);
COMMENT ON TABLE muster_server IS 'The server that these tables are on, one row. A node that finds itself on another server than the row says raises the timeline.';
COMMENT ON COLUMN muster_server.timeline IS 'The first half of every fence. Starts as PostgreSQL''s timeline, grows whenever the tables are found on another server, and never goes back.';
COMMENT ON COLUMN muster_server.wal_timeline IS 'PostgreSQL''s own timeline: grows at a promotion, starts again at 1 after pg_upgrade. Set it to 0 to have the next node raise the timeline.';
COMMENT ON COLUMN muster_server.system_identifier IS 'Of the cluster, see pg_control_system(); null: its reader was not allowed to know.';
COMMENT ON COLUMN muster_server.table_oid IS 'Of this table when the row was written: another one after a dump was restored.';
COMMENT ON COLUMN muster_server.since IS 'When the timeline was last raised.';

CREATE SEQUENCE muster_fence_seq CACHE 1;
COMMENT ON SEQUENCE muster_fence_seq IS 'Fence tokens of locks and daemons: every holder gets the next one.';

CREATE TABLE muster_locks (
  lock_name  text        NOT NULL PRIMARY KEY,
  owner_node text        NOT NULL,
  locked_at  timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  token      bigint      NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_locks IS 'Named locks that end by themselves. A row whose time is up is free.';
COMMENT ON COLUMN muster_locks.token IS 'Grows with every holder; renewal and release name it.';
