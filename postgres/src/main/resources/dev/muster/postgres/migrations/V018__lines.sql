-- Lines: jobs that stand in line until one of a limited number of places is free. R__functions_lines.sql admits them.

-- A job belongs to a line by its column "line". It stands in line while ready_at is infinity and line_at is set; it is admitted while
-- ready_at is a time. A job with a line that waits for other jobs has no line_at: it is put in line when they have ended.
-- The index holds jobs of lines only, and no claim writes its columns. Its order is the order in line: higher ranks first, then by the
-- time at which they were put in line. The rank of a job in an ordered line is the same for all of them, until it is admitted.
ALTER TABLE muster_jobs ADD COLUMN line text;
ALTER TABLE muster_jobs ADD COLUMN line_at timestamptz;
CREATE INDEX muster_jobs_line ON muster_jobs (line, ready_at, rank DESC, line_at, id) WHERE line IS NOT NULL;
COMMENT ON COLUMN muster_jobs.line IS 'The line that it belongs to: name/JOB, key/JOB/KEY, order/JOB, order/JOB/KEY, fifo/KEY or fair/KEY. Null: none.';
COMMENT ON COLUMN muster_jobs.line_at IS 'Its position in line: when it was put in line, or when it is due if that is later; never in the past when written. Null while it waits for other jobs.';
COMMENT ON COLUMN muster_jobs.ready_at IS 'When the job became or becomes claimable; never in the past when written, so claimers may look forward only. Infinity while it waits for other jobs or stands in line; null once it is shown as running, unless it belongs to a line.';
ALTER TABLE muster_job_history ADD COLUMN line text;

-- Jobs in line wait for no job.
DROP INDEX muster_jobs_waiting;
CREATE INDEX muster_jobs_waiting ON muster_jobs (id) WHERE ready_at = 'infinity' AND line_at IS NULL;

CREATE TABLE muster_lines (
  line           text        NOT NULL PRIMARY KEY,
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
COMMENT ON TABLE muster_lines IS 'Lines that jobs have stood in. Whoever admits jobs locks the row of their line first, and waits for it. How many jobs are admitted is counted in muster_jobs.';
COMMENT ON COLUMN muster_lines.admitted_floor IS 'No admitted job of the line has a ready_at before this.';
COMMENT ON COLUMN muster_lines.floors IS 'No job in line has a line_at before these, one for each rank from the highest on; a job whose transaction was open for long may be an exception, which the sweep finds.';
COMMENT ON COLUMN muster_lines.next_floors IS 'Floors that hold as soon as all transactions that were open when they were written have ended.';
COMMENT ON COLUMN muster_lines.next_number IS 'All transactions with a lower number have to end before next_floors hold.';
COMMENT ON COLUMN muster_lines.next_at IS 'When next_floors were written.';
COMMENT ON COLUMN muster_lines.floors_at IS 'When the floors were last looked at.';
COMMENT ON COLUMN muster_lines.tokens IS 'How many jobs the rate of the line allowed to admit at refilled_at. Null: as many as in one interval.';
COMMENT ON COLUMN muster_lines.used_at IS 'When a job was last admitted, give or take an hour. Upkeep removes lines without jobs a day later.';

CREATE TABLE muster_line_limits (
  name            text        NOT NULL PRIMARY KEY,
  max_concurrent  integer     CHECK (max_concurrent BETWEEN 1 AND 10000),
  rate            integer     CHECK (rate BETWEEN 1 AND 1000000),
  rate_ms         bigint      CHECK (rate_ms BETWEEN 1 AND 86400000),
  key_path        text        NOT NULL,
  ordered         boolean     NOT NULL,
  changed_at      timestamptz NOT NULL,
  CHECK ((rate IS NULL) = (rate_ms IS NULL))
);
COMMENT ON TABLE muster_line_limits IS 'The limits that handlers declare for the lines of their jobs, by job name. The node that started last has written them.';
COMMENT ON COLUMN muster_line_limits.max_concurrent IS 'How many jobs of one line may be admitted at a time. Null: only the rate limits them.';
COMMENT ON COLUMN muster_line_limits.key_path IS 'The field of the args that holds the key. Empty: all jobs stand in one line, unless their request names a key.';
COMMENT ON COLUMN muster_line_limits.rate IS 'How many jobs of one line are admitted per rate_ms milliseconds. Null: no limit.';
