-- COPY computes nothing: what it leaves out is that of a job which is due at once. The clock that stands still within a
-- statement, because with one that moves COPY would write row by row. ready_at has no default: each job has its own.

ALTER TABLE muster_jobs
  ALTER COLUMN status SET DEFAULT 'pending',
  ALTER COLUMN run_at SET DEFAULT muster_statement_clock(),
  ALTER COLUMN created_at SET DEFAULT muster_statement_clock();
