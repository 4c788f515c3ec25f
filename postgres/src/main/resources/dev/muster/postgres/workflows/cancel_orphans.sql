-- Asks live runs in a window to end whose parent has ended otherwise than completed: its driver died, or an operator gave it up, and nobody
-- has asked its children.
WITH part AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at IS NULL AND r.id > ? ORDER BY r.id LIMIT 5000),
orphan AS MATERIALIZED (
  SELECT r.id, p.id AS parent, p.status
  FROM part
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[part.id])
  JOIN {schema}.muster_workflow_runs p ON p.id = ANY (ARRAY[r.parent_run])
  WHERE r.finished_at IS NULL AND r.parent_run IS NOT NULL AND NOT r.cancel_requested
    AND p.finished_at IS NOT NULL AND p.status <> 'completed'
  FOR NO KEY UPDATE OF r SKIP LOCKED),
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET cancel_requested = true, resolution_reason = 'its parent run ' || orphan.parent || ' ended as ' || orphan.status,
      changed_at = {schema}.muster_clock()
  FROM orphan WHERE r.id = ANY (ARRAY[orphan.id])
  RETURNING r.id, r.queue, r.capability),
driver AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > {schema}.muster_clock())
SELECT DISTINCT queue, capability FROM run
