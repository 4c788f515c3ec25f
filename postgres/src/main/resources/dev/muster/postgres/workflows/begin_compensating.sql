-- A run begins to compensate, if this claim of its driver is the current one.
UPDATE {schema}.muster_workflow_runs r
SET status = 'compensating', ends_as = ?, error = ?, changed_at = {schema}.muster_clock()
WHERE r.id = ? AND r.finished_at IS NULL
  AND EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = r.id AND j.token = ? FOR KEY SHARE)
