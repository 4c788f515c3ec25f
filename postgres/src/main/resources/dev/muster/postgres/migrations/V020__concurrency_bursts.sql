-- A rate of groups has a burst, as that of a queue has, and an interval of up to 366 days.
ALTER TABLE muster_concurrency_limits
  DROP CONSTRAINT muster_concurrency_limits_rate_ms_check,
  ADD CONSTRAINT muster_concurrency_limits_rate_ms_check CHECK (rate_ms > 0),
  ADD COLUMN burst integer CHECK (burst BETWEEN 1 AND rate);
COMMENT ON COLUMN muster_concurrency_limits.burst IS 'How many jobs of one group the rate lets admit at once after a pause. Null: one.';
COMMENT ON COLUMN muster_concurrency_groups.tokens IS 'How many jobs the rate of the group allowed to admit at refilled_at. Null: a burst.';
