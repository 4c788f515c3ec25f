-- Concurrency groups: jobs that wait for admission until one of a limited number of places is free. R__functions_admission.sql admits them.

-- A job belongs to a group by its column "group". It waits for admission while ready_at is infinity and group_position is set; it is admitted while
-- ready_at is a time. A job with a group that waits for other jobs has no group_position: it is put into its group when they have ended.
-- The index holds jobs of groups only, and no claim writes its columns. Its order is the order in its group: higher ranks first, then by the
-- time at which they were put into their groups. The rank of a job in an ordered group is the same for all of them, until it is admitted.
ALTER TABLE muster_jobs ADD COLUMN concurrency_group text;
ALTER TABLE muster_jobs ADD COLUMN group_position timestamptz;
CREATE INDEX muster_jobs_concurrency_group ON muster_jobs (concurrency_group, ready_at, rank DESC, group_position, id) WHERE concurrency_group IS NOT NULL;
COMMENT ON COLUMN muster_jobs.concurrency_group IS 'The group that it belongs to: name/JOB, key/JOB/KEY, order/JOB, order/JOB/KEY, fifo/KEY or fair/KEY. Null: none.';
COMMENT ON COLUMN muster_jobs.group_position IS 'Its position in its group: when it was put into its group, or when it is due if that is later; never in the past when written. Null while it waits for other jobs.';
COMMENT ON COLUMN muster_jobs.ready_at IS 'When the job became or becomes claimable; never in the past when written, so claimers may look forward only. Infinity while it waits for other jobs or waits for admission; null once it is shown as running, unless it belongs to a group.';
ALTER TABLE muster_job_history ADD COLUMN concurrency_group text;

-- Jobs that wait for admission wait for no job.
DROP INDEX muster_jobs_waiting;
CREATE INDEX muster_jobs_waiting ON muster_jobs (id) WHERE ready_at = 'infinity' AND group_position IS NULL;

CREATE TABLE muster_concurrency_groups (
  concurrency_group           text        NOT NULL PRIMARY KEY,
  admitted_floor timestamptz NOT NULL DEFAULT '-infinity',
  floors         timestamptz[],
  next_floors    timestamptz[],
  next_number    xid8,
  next_at        timestamptz,
  floors_at      timestamptz NOT NULL DEFAULT '-infinity',
  tokens         double precision,
  refilled_at    timestamptz,
  used_at        timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE muster_concurrency_groups IS 'Concurrency groups that jobs have belonged to. Whoever admits jobs locks the row of their group first, and waits for it. How many jobs are admitted is counted in muster_jobs.';
COMMENT ON COLUMN muster_concurrency_groups.admitted_floor IS 'No admitted job of the group has a ready_at before this.';
COMMENT ON COLUMN muster_concurrency_groups.floors IS 'No job that waits for admission has a group_position before these, one for each rank from the highest on; a job whose transaction was open for long may be an exception, which the sweep finds.';
COMMENT ON COLUMN muster_concurrency_groups.next_floors IS 'Floors that hold as soon as all transactions that were open when they were written have ended.';
COMMENT ON COLUMN muster_concurrency_groups.next_number IS 'All transactions with a lower number have to end before next_floors hold.';
COMMENT ON COLUMN muster_concurrency_groups.next_at IS 'When next_floors were written.';
COMMENT ON COLUMN muster_concurrency_groups.floors_at IS 'When the floors were last looked at.';
COMMENT ON COLUMN muster_concurrency_groups.tokens IS 'How many jobs the rate of the group allowed to admit at refilled_at. Null: as many as in one interval.';
COMMENT ON COLUMN muster_concurrency_groups.used_at IS 'When a job was last admitted, give or take an hour. Upkeep removes groups without jobs a day later.';

CREATE TABLE muster_concurrency_limits (
  name            text        NOT NULL PRIMARY KEY,
  max_concurrent  integer     CHECK (max_concurrent BETWEEN 1 AND 10000),
  rate            integer     CHECK (rate BETWEEN 1 AND 1000000),
  rate_ms         bigint      CHECK (rate_ms BETWEEN 1 AND 86400000),
  key_path        text        NOT NULL,
  ordered         boolean     NOT NULL,
  changed_at      timestamptz NOT NULL,
  CHECK ((rate IS NULL) = (rate_ms IS NULL))
);
COMMENT ON TABLE muster_concurrency_limits IS 'The limits that handlers declare for the groups of their jobs, by job name. The node that started last has written them.';
COMMENT ON COLUMN muster_concurrency_limits.max_concurrent IS 'How many jobs of one group may be admitted at a time. Null: only the rate limits them.';
COMMENT ON COLUMN muster_concurrency_limits.key_path IS 'The field of the args that holds the key. Empty: all jobs stand in one line, unless their request names a key.';
COMMENT ON COLUMN muster_concurrency_limits.rate IS 'How many jobs of one group are admitted per rate_ms milliseconds. Null: no limit.';
