-- Asks live runs in a window to end whose parent has ended otherwise than completed: its driver died, or an operator gave it up, and nobody
-- has asked its children.
WITH {workflows/parts/window},
target AS MATERIALIZED (
  SELECT run.*
  FROM part CROSS JOIN LATERAL (
    SELECT r.id, p.id AS parent, p.status
    FROM {schema}.muster_workflow_runs r JOIN {schema}.muster_workflow_runs p ON p.id = r.parent_run
    WHERE r.id = part.id AND r.finished_at IS NULL AND r.parent_run IS NOT NULL AND NOT r.cancel_requested
      AND p.finished_at IS NOT NULL AND p.status <> 'completed'
    FOR NO KEY UPDATE OF r SKIP LOCKED) run
  LIMIT 500),
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET cancel_requested = true, resolution_reason = 'its parent run ' || target.parent || ' ended as ' || target.status,
      changed_at = {schema}.muster_clock()
  FROM target WHERE r.id = ANY (ARRAY[target.id])
  RETURNING r.id, r.queue, r.capability),
driver AS (
  UPDATE {schema}.muster_jobs j SET run_at = {schema}.muster_clock(), ready_at = {schema}.muster_clock(), rank = j.priority + 1
  FROM run WHERE j.id = ANY (ARRAY[run.id]) AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > {schema}.muster_clock())
SELECT DISTINCT queue, capability, NULL::uuid AS last, NULL::int AS changed FROM run
UNION ALL SELECT NULL, NULL, {workflows/parts/window_end}, (SELECT count(*) FROM target)::int
