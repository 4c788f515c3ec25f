-- Jobs that stand in line, by the time at which they are or were due, whatever their line: so that whoever leads finds those that nobody has
-- admitted without a look at any other line or job. It holds jobs in line only, and no claim writes its columns. The condition on line_at is
-- one that no other statement has: for the jobs of one line muster_jobs_line is the index, and the planner must not take this one instead.
CREATE INDEX muster_jobs_due_in_line ON muster_jobs (line_at, line) WHERE ready_at = 'infinity' AND coalesce(line_at < 'infinity', false);
