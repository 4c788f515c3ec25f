-- Deletes some runs that ended longer ago than the retention, and their events: 500 of each, so that a run that got many events goes only
-- with the last of them. Tells whether there may be more. Their steps go with their day. Along index muster_workflow_runs_ended.
WITH old AS MATERIALIZED (
  SELECT r.id, r.first_run FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at < {schema}.muster_clock() - ? * interval '1 millisecond'
  ORDER BY r.finished_at LIMIT 500 FOR UPDATE SKIP LOCKED),
sent AS MATERIALIZED (
  SELECT e.run_id, e.event_id FROM old JOIN {schema}.muster_workflow_events e ON e.run_id = ANY (ARRAY[old.id]) LIMIT 500),
events AS (
  DELETE FROM {schema}.muster_workflow_events e USING sent WHERE e.run_id = sent.run_id AND e.event_id = sent.event_id),
bare AS MATERIALIZED (
  SELECT old.id, old.first_run FROM old
  WHERE (SELECT count(*) FROM sent) < 500
     OR NOT EXISTS (SELECT FROM {schema}.muster_workflow_events e WHERE e.run_id = old.id AND (e.run_id, e.event_id) NOT IN (SELECT * FROM sent))),
chains AS (
  DELETE FROM {schema}.muster_workflow_chains c USING bare
  WHERE c.first_run = ANY (ARRAY[bare.first_run]) AND c.last_run = bare.id),
runs AS (
  DELETE FROM {schema}.muster_workflow_runs r USING bare WHERE r.id = ANY (ARRAY[bare.id]))
SELECT (SELECT count(*) FROM old) = 500 OR (SELECT count(*) FROM sent) = 500
