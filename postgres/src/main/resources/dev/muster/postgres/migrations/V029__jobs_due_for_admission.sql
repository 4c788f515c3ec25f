-- Jobs that wait for admission, by the time at which they are or were due, whatever their group: so that whoever leads finds those that nobody has
-- admitted without a look at any other group or job. It holds jobs that wait for admission only, and no claim writes its columns. The condition on group_position is
-- one that no other statement has: for the jobs of one group muster_jobs_concurrency_group is the index, and the planner must not take this one instead.
CREATE INDEX muster_jobs_due_for_admission ON muster_jobs (group_position, concurrency_group) WHERE ready_at = 'infinity' AND coalesce(group_position < 'infinity', false);
