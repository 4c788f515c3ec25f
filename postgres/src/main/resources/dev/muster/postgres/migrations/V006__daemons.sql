-- Daemons.

CREATE TABLE muster_daemons (
  name        text        NOT NULL,
  slot        text        NOT NULL DEFAULT '',
  node_id     text,
  incarnation uuid,
  token       bigint,
  lease_until timestamptz,
  free_since  timestamptz,
  status      text        NOT NULL CHECK (status IN ('free', 'running', 'backoff', 'failed')),
  restarts    integer     NOT NULL DEFAULT 0,
  started_at  timestamptz,
  last_error  text,
  failed_at   timestamptz,
  PRIMARY KEY (name, slot)
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_daemons IS 'Daemons, and the node that runs each. One whose lease is over is free.';
COMMENT ON COLUMN muster_daemons.slot IS 'Empty: one instance in the cluster; else the node whose instance it is.';
COMMENT ON COLUMN muster_daemons.token IS 'Fence of the current holder, for the user''s own stores.';
COMMENT ON COLUMN muster_daemons.status IS 'backoff: waits on its node for its next start; failed: restarted too often, and waits for an operator.';
COMMENT ON COLUMN muster_daemons.restarts IS 'Starts since it last ran well for a while.';
