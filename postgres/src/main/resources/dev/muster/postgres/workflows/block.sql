-- Marks runs of a version that no live node can resume. A run that compensates keeps its status.
WITH target AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at IS NULL AND r.workflow_name = ? AND r.workflow_version = ? AND r.signature = ?
    AND r.status NOT IN (?, 'compensating')
  LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED)
UPDATE {schema}.muster_workflow_runs r SET status = ?, resolution_reason = ?, changed_at = {schema}.muster_clock()
FROM target WHERE r.id = ANY (ARRAY[target.id])
