-- Blocked runs of these versions are due at once, because there may be the right code now. One that still sleeps or waits parks again.
UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
FROM {schema}.muster_workflow_runs r
WHERE r.finished_at IS NULL AND r.status IN ('blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch')
  AND (r.workflow_name, r.workflow_version) IN (SELECT * FROM unnest(?::text[], ?::text[]))
  AND j.id = ANY (ARRAY[r.id]) AND j.token IS NULL AND j.status = 'pending'
