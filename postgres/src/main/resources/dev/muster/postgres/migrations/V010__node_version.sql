-- The version of the application that a node runs, so that a rollout can be followed.
ALTER TABLE muster_nodes ADD COLUMN version text;
COMMENT ON COLUMN muster_nodes.version IS 'The version of the node''s application. Null: not told.';
