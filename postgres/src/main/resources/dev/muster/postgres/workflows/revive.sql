-- Looks at a window of live runs for those without a driver: too many crashes have ended it, or somebody has deleted it. A run whose driver
-- has died compensates with a new one, or has failed if there is nothing to compensate or its compensation was what died. Run and driver
-- are written together everywhere else, so a run without one is seen only after that. OFFSET 0: history is searched by id, and not by time.
WITH {workflows/parts/window},
target AS MATERIALIZED (
  SELECT run.*
  FROM part CROSS JOIN LATERAL (
    SELECT r.*
    FROM {schema}.muster_workflow_runs r
    WHERE r.id = part.id AND r.finished_at IS NULL AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = r.id OFFSET 0)
    FOR NO KEY UPDATE OF r SKIP LOCKED) run
  LIMIT 500),
lost AS MATERIALIZED (
  SELECT r.*, h.error AS death, h.error IS NOT NULL AS died,
         EXISTS (SELECT FROM {schema}.muster_workflow_steps s
                 WHERE s.run_id = r.id AND s.steps_from = r.steps_from AND s.compensation IS NOT NULL) AS compensates
  FROM target r
  LEFT JOIN LATERAL (
    SELECT h.error FROM (SELECT h.* FROM {schema}.muster_job_history h WHERE h.id = r.id OFFSET 0) h
    WHERE h.status = 'failed' AND h.finished_at >= r.changed_at
    ORDER BY h.finished_at DESC LIMIT 1) h ON true),
changed AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = CASE WHEN NOT lost.died THEN r.status WHEN lost.compensates AND r.ends_as IS NULL THEN 'compensating' ELSE 'failed' END,
      ends_as = CASE WHEN lost.died AND lost.compensates THEN coalesce(r.ends_as, 'compensated') ELSE r.ends_as END,
      error = coalesce(lost.death, r.error),
      finished_at = CASE WHEN lost.died AND NOT (lost.compensates AND r.ends_as IS NULL) THEN {schema}.muster_clock() END,
      changed_at = {schema}.muster_clock()
  FROM lost WHERE r.id = ANY (ARRAY[lost.id])
  RETURNING r.*),
driver AS (
  INSERT INTO {schema}.muster_jobs (id, name, queue, capability, priority, rank, ready_at, args, max_crashes, trace)
  SELECT c.id, 'workflow:' || c.workflow_name || ':' || c.workflow_version || ':' || left(c.signature, 8), c.queue, c.capability,
         c.priority, c.priority + 1, {schema}.muster_clock(), 'null', c.max_crashes, c.trace
  FROM changed c WHERE c.finished_at IS NULL
  RETURNING queue, capability)
SELECT DISTINCT 'lane' AS what, queue, capability, NULL::uuid AS last, NULL::int AS changed FROM driver
UNION ALL SELECT 'window', NULL, NULL, {workflows/parts/window_end}, (SELECT count(*) FROM target)::int
UNION ALL SELECT 'failed', NULL, NULL, c.id, NULL FROM changed c WHERE c.finished_at IS NOT NULL
UNION ALL SELECT 'lane', parent.lane_queue, parent.lane_capability, NULL, NULL
FROM changed c CROSS JOIN LATERAL {schema}.muster_tell_parent(c.id, c.parent_run, c.parent_path, c.status, c.error) parent
WHERE c.finished_at IS NOT NULL AND c.parent_run IS NOT NULL AND parent.lane_queue IS NOT NULL
