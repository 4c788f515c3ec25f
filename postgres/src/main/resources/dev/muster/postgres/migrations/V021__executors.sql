-- What a node runs its jobs on, and which of its handlers no rule sends anywhere.
ALTER TABLE muster_nodes
  ADD COLUMN executors jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN unrouted  text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN muster_nodes.executors IS 'Its executors by name: kind, size, and how many jobs ran and were stuck on each at the last heartbeat.';
COMMENT ON COLUMN muster_nodes.unrouted IS 'Jobs that it has handlers for and does not run, because routing sends them to no executor.';
