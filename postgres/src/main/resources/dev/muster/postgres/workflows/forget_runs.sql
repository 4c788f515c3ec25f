-- Deletes some runs that ended longer ago than the retention, and their events. Their steps go with their day. Along index
-- muster_workflow_runs_ended.
WITH old AS MATERIALIZED (
  SELECT r.id, r.first_run FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at < {schema}.muster_clock() - ? * interval '1 millisecond'
  ORDER BY r.finished_at LIMIT 500 FOR UPDATE SKIP LOCKED),
events AS (
  DELETE FROM {schema}.muster_workflow_events e USING old WHERE e.run_id = ANY (ARRAY[old.id])),
chains AS (
  DELETE FROM {schema}.muster_workflow_chains c USING old
  WHERE c.first_run = ANY (ARRAY[old.first_run]) AND c.last_run = old.id)
DELETE FROM {schema}.muster_workflow_runs r USING old WHERE r.id = ANY (ARRAY[old.id])
