-- Calls of functions that gateways forward to the nodes that run them.

ALTER TABLE muster_nodes ADD COLUMN functions jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN muster_nodes.functions IS 'The queries and mutations it runs, by name, with the kind, timeout, roles, limit and types of each.';

CREATE TABLE muster_cluster_keys (
  number      bigint      NOT NULL PRIMARY KEY,
  secret      bytea       NOT NULL CHECK (octet_length(secret) = 32),
  created_at  timestamptz NOT NULL,
  signs_until timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL
);
COMMENT ON TABLE muster_cluster_keys IS 'The keys with which nodes sign the calls that they forward to each other. The first node that needs a key makes it, and the next one when signs_until is over. Delete all rows to have a new one made at once.';
COMMENT ON COLUMN muster_cluster_keys.number IS 'Grows by one with each key; nodes sign with the highest one.';
COMMENT ON COLUMN muster_cluster_keys.secret IS '32 random bytes. Roles that only read do not get this column.';
COMMENT ON COLUMN muster_cluster_keys.signs_until IS 'From then on the next key signs.';
COMMENT ON COLUMN muster_cluster_keys.expires_at IS 'From then on what it signed is refused, and the row can go.';
