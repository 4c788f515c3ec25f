-- Who leads. The row is the truth; locks only make a change of leader faster.

CREATE TABLE muster_leaders (
  role        text        NOT NULL PRIMARY KEY,
  node_id     text,
  incarnation uuid,
  term        bigint      NOT NULL,
  timeline    bigint      NOT NULL,
  strategy    text        NOT NULL CHECK (strategy IN ('advisory', 'lease')),
  since       timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_leaders IS 'One row per leader role that was ever held.';
COMMENT ON COLUMN muster_leaders.node_id IS 'Null after the leader gave it up.';
COMMENT ON COLUMN muster_leaders.incarnation IS 'Of the node; with term and timeline the fence of every write made as leader.';
COMMENT ON COLUMN muster_leaders.term IS 'Raised by every election.';
COMMENT ON COLUMN muster_leaders.timeline IS 'Of the database at the election: a failover may issue a term twice, on two timelines.';
COMMENT ON COLUMN muster_leaders.expires_at IS 'After this, unless renewed, anyone may take over.';
