-- Positions in ordered lines do not depend on the clock; jobs that have been admitted for long do not hold the floor of their line down; and
-- what is left of a line's rate stands in rows of its own.

ALTER TABLE muster_lines ADD COLUMN held uuid[];
COMMENT ON COLUMN muster_lines.admitted_floor IS 'No admitted job of the line has a ready_at before this, except those in held.';
COMMENT ON COLUMN muster_lines.held IS 'The jobs that have been admitted for so long that they would hold the floor down: they are counted one by one. Some of them may have ended.';
COMMENT ON COLUMN muster_lines.tokens IS 'How many jobs the rate of the line allowed to admit at refilled_at, unless muster_line_tokens has a later number. Null: a burst.';

CREATE TABLE muster_line_tokens (
  line        text             NOT NULL,
  since       timestamptz      NOT NULL,
  tokens      double precision NOT NULL,
  refilled_at timestamptz      NOT NULL,
  PRIMARY KEY (line, since)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE muster_line_tokens IS 'What admissions have left of the rates of lines since the last look at their floors. Each second has a key of its own, so that a search does not meet dead rows of the seconds before.';
COMMENT ON COLUMN muster_line_tokens.since IS 'The floors_at of the line. Rows with another one do not count.';
COMMENT ON COLUMN muster_line_tokens.tokens IS 'How many jobs the rate of the line allowed to admit at refilled_at.';

-- In an ordered line jobs that are due later have a rank of their own.
UPDATE muster_jobs SET rank = 25
WHERE line IS NOT NULL AND ready_at = 'infinity' AND line_at > muster_clock() AND left(line, 5) IN ('order', 'fifo/');
COMMENT ON COLUMN muster_jobs.line_at IS 'Its position in line: when it was put in line, or when it is due if that is later; never in the past when written. In an ordered line always later than those before it, even if the clock was set back. Null while it waits for other jobs.';
