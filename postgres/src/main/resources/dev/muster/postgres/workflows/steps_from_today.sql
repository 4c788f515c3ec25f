-- A run gets today as the day under which its steps are stored, if there is no partition for its own.
UPDATE {schema}.muster_workflow_runs r SET steps_from = {schema}.muster_clock()
WHERE to_regclass('{schema}.muster_workflow_steps_' || ?) IS NULL AND r.id = ? AND r.finished_at IS NULL
