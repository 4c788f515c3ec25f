-- Who leads. The row is the truth; locks only make a change of leader faster.

CREATE TABLE muster_leaders (
  role        text        NOT NULL PRIMARY KEY,
  node_id     text,
  incarnation uuid,
  term        bigint      NOT NULL DEFAULT 0,
  timeline    bigint      NOT NULL DEFAULT 0,
  strategy    text        CHECK (strategy IN ('advisory', 'lease')),
  since       timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  CHECK ((node_id IS NULL) = (incarnation IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_leaders IS 'Who leads, one row per role. Every write made as leader checks its row in the same transaction.';
COMMENT ON COLUMN muster_leaders.node_id IS 'Null before the first election and after the leader gave it up.';
COMMENT ON COLUMN muster_leaders.incarnation IS 'Of the node; with term and timeline the fence of every write made as leader.';
COMMENT ON COLUMN muster_leaders.term IS 'Raised by every election.';
COMMENT ON COLUMN muster_leaders.timeline IS 'Of the database at the election: a failover may issue a term twice, on two timelines.';
COMMENT ON COLUMN muster_leaders.strategy IS 'Of the last election; null: there was none.';
COMMENT ON COLUMN muster_leaders.since IS 'When the reign began, or ended if nobody leads.';
COMMENT ON COLUMN muster_leaders.expires_at IS 'After this, unless renewed, anyone may take over.';
-- They are there from the start, so that a take-over always has a row to lock.
INSERT INTO muster_leaders (role, since, expires_at)
SELECT role, muster_clock(), muster_clock() FROM unnest(ARRAY['scheduler', 'metrics_aggregator', 'log_compactor']) role;
