-- When the jobs of groups with a rate began: R__functions_admission_begins.sql counts them.

CREATE TABLE muster_concurrency_begins (
  concurrency_group       text        NOT NULL,
  since      timestamptz NOT NULL,
  next_begin timestamptz NOT NULL,
  told_until timestamptz,
  PRIMARY KEY (concurrency_group, since)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE muster_concurrency_begins IS 'When jobs of groups with a rate may begin. A group has one row; whoever lets a job begin locks it.';
COMMENT ON COLUMN muster_concurrency_begins.since IS 'The second in which the row was written first. Each second has a key of its own, so that a search does not meet dead rows of the seconds before.';
COMMENT ON COLUMN muster_concurrency_begins.next_begin IS 'When the next job would begin if all began evenly. A burst lets jobs begin earlier than that.';
COMMENT ON COLUMN muster_concurrency_begins.told_until IS 'The last time that a job was told to come back at which had come too early. Until then no further job is admitted. Null: none was told so.';
