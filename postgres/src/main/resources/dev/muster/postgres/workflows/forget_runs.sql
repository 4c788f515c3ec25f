-- Deletes some runs that ended longer ago than the retention, and their events: 500 of each at most, and the runs only when few events of
-- them are left. Tells whether there may be more. Their steps go with their day. Along index muster_workflow_runs_ended, which the clock of
-- the statement can bound: the other one is read for each row, and all that ended later would be walked over.
WITH old AS MATERIALIZED (
  SELECT r.id, r.first_run FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  ORDER BY r.finished_at LIMIT 500 FOR UPDATE SKIP LOCKED),
sent AS MATERIALIZED (
  SELECT e.ctid AS tid FROM old JOIN {schema}.muster_workflow_events e ON e.run_id = ANY (ARRAY[old.id]) LIMIT 500),
events AS (
  DELETE FROM {schema}.muster_workflow_events e WHERE e.ctid = ANY (ARRAY(SELECT sent.tid FROM sent))),
bare AS MATERIALIZED (SELECT old.id, old.first_run FROM old WHERE (SELECT count(*) FROM sent) < 500),
chains AS (
  DELETE FROM {schema}.muster_workflow_chains c USING bare
  WHERE c.first_run = ANY (ARRAY[bare.first_run]) AND c.last_run = bare.id),
runs AS (
  DELETE FROM {schema}.muster_workflow_runs r USING bare WHERE r.id = ANY (ARRAY[bare.id]))
SELECT (SELECT count(*) FROM old) = 500 OR (SELECT count(*) FROM sent) = 500
