-- Positions in ordered groups do not depend on the clock; jobs that have been admitted for long do not hold the floor of their group down; and
-- what is left of a group's rate stands in rows of its own.

ALTER TABLE muster_concurrency_groups ADD COLUMN held uuid[];
COMMENT ON COLUMN muster_concurrency_groups.admitted_floor IS 'No admitted job of the group has a ready_at before this, except those in held.';
COMMENT ON COLUMN muster_concurrency_groups.held IS 'The jobs that have been admitted for so long that they would hold the floor down: they are counted one by one. Some of them may have ended.';
COMMENT ON COLUMN muster_concurrency_groups.tokens IS 'How many jobs the rate of the group allowed to admit at refilled_at, unless muster_concurrency_tokens has a later number. Null: a burst.';

CREATE TABLE muster_concurrency_tokens (
  concurrency_group        text             NOT NULL,
  since       timestamptz      NOT NULL,
  tokens      double precision NOT NULL,
  refilled_at timestamptz      NOT NULL,
  PRIMARY KEY (concurrency_group, since)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE muster_concurrency_tokens IS 'What admissions have left of the rates of groups since the last look at their floors. Each second has a key of its own, so that a search does not meet dead rows of the seconds before.';
COMMENT ON COLUMN muster_concurrency_tokens.since IS 'The floors_at of the group. Rows with another one do not count.';
COMMENT ON COLUMN muster_concurrency_tokens.tokens IS 'How many jobs the rate of the group allowed to admit at refilled_at.';

-- In an ordered group jobs that are due later have a rank of their own.
UPDATE muster_jobs SET rank = 25
WHERE concurrency_group IS NOT NULL AND ready_at = 'infinity' AND group_position > muster_clock() AND left(concurrency_group, 5) IN ('order', 'fifo/');
COMMENT ON COLUMN muster_jobs.group_position IS 'Its position in its group: when it was put into its group, or when it is due if that is later; never in the past when written. In an ordered group always later than those before it, even if the clock was set back. Null while it waits for other jobs.';
