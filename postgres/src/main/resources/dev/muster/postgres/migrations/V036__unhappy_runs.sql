-- Runs that ended otherwise than completed, by the time of their end: few among many, and the ones that people look for, retry and group by
-- their errors. A completed run has a result or a successor. The index does not ask for the status: parking a run writes that column, and with
-- a column in an index's condition it would write every index of the table.

CREATE INDEX muster_workflow_runs_unhappy ON muster_workflow_runs (finished_at)
  WHERE finished_at IS NOT NULL AND result IS NULL AND continued_as IS NULL;
