-- A job keeps what it depends on, so that a retry can wait for it again; it may wait for an end whatever the
-- outcome.

ALTER TABLE muster_jobs ADD COLUMN depends_on uuid[], ADD COLUMN depends_on_any uuid[];
COMMENT ON COLUMN muster_jobs.depends_on IS 'The jobs that have to complete before this one runs. Null: none.';
COMMENT ON COLUMN muster_jobs.depends_on_any IS 'The jobs that have to end before this one runs, however they end. Null: none.';
ALTER TABLE muster_job_history ADD COLUMN depends_on uuid[], ADD COLUMN depends_on_any uuid[];
COMMENT ON COLUMN muster_job_history.error IS 'Why it failed, was cancelled or expired. Of a completed job: the failure of its last attempt that failed; null if none did.';

ALTER TABLE muster_job_dependencies ADD COLUMN any_outcome boolean NOT NULL DEFAULT false;
COMMENT ON TABLE muster_job_dependencies IS 'What waiting jobs wait for. An edge goes when its parent has completed, or with any_outcome when it has ended; the last one makes the child pending.';
COMMENT ON COLUMN muster_job_dependencies.any_outcome IS 'The child waits for the end of the parent, however it ends.';

-- What has been resolved before is not known any more; a retry does not ask for it.
UPDATE muster_jobs j
SET depends_on = (SELECT array_agg(d.parent ORDER BY d.parent) FROM muster_job_dependencies d WHERE d.child = j.id)
WHERE j.ready_at = 'infinity';
