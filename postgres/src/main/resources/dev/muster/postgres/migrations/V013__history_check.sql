-- Every completed job was compared with each of the statuses that it might have ended with: a few percent of what its
-- completion costs.
-- History is written by the statements of this program alone, which name the status.
ALTER TABLE muster_job_history DROP CONSTRAINT muster_job_history_status_check;
