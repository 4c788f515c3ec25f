-- Runs that were parked because their workflow was paused, and wait for nothing else. When the pause is over, whoever ended it wakes them, or
-- else the leader does.
CREATE INDEX muster_workflow_runs_paused ON muster_workflow_runs (workflow_name, id)
  WHERE finished_at IS NULL AND awaiting = '{}' AND wake_at IS NULL;
