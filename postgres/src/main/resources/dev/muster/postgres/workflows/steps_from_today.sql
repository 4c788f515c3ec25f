-- Runs without steps get today as the day under which their steps are stored.
UPDATE {schema}.muster_workflow_runs r SET steps_from = {schema}.muster_clock()
WHERE r.id = ANY (?::uuid[]) AND r.finished_at IS NULL
  AND NOT EXISTS (SELECT FROM {schema}.muster_workflow_steps s WHERE s.run_id = r.id AND s.steps_from = r.steps_from)
