-- Runs that continue others, and what a retry has to repeat.

ALTER TABLE muster_workflow_runs
  ADD COLUMN first_run uuid,
  ADD COLUMN continued_as uuid,
  ADD COLUMN failed_steps text[];
COMMENT ON COLUMN muster_workflow_runs.first_run IS 'The first run of a chain of runs that continue one another; null for that one. Payloads of events are sealed for it.';
COMMENT ON COLUMN muster_workflow_runs.continued_as IS 'The run that continues this one.';
COMMENT ON COLUMN muster_workflow_runs.failed_steps IS 'The paths of the steps whose failure has ended the run.';

CREATE INDEX muster_workflow_runs_children ON muster_workflow_runs (parent_run) WHERE parent_run IS NOT NULL;
CREATE INDEX muster_workflow_events_by_id ON muster_workflow_events (event_id);
