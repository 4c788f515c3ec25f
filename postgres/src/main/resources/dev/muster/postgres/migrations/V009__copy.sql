-- COPY computes nothing, so what it leaves out is a job that is due at once. The clock that stands still within a
-- statement: with one that moves, COPY would write row by row.

ALTER TABLE muster_jobs
  ALTER COLUMN status SET DEFAULT 'pending',
  ALTER COLUMN run_at SET DEFAULT muster_statement_clock(),
  ALTER COLUMN ready_at SET DEFAULT muster_statement_clock(),
  ALTER COLUMN created_at SET DEFAULT muster_statement_clock();
