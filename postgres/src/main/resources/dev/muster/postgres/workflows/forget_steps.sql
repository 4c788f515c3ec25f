-- Forgets some steps of a run that is retried in the same transaction, and with them that their waits have taken events. An event for which
-- a step has failed does not fit its type: it stays used up, and the step waits for another one. What a child has told is forgotten, too,
-- but not which child it was: see hold_parent.sql. Along the primary keys. The paths stand in each part as an array: joined with the
-- deleted steps, the events of the run would be read once for each of them.
WITH forgotten AS (
  DELETE FROM {schema}.muster_workflow_steps s
  WHERE s.run_id = ? AND s.steps_from = (SELECT r.steps_from FROM {schema}.muster_workflow_runs r WHERE r.id = ?)
    AND s.path = ANY (?::text[])),
told AS (
  UPDATE {schema}.muster_workflow_events e
  SET name = e.event_id || '~', taken_by = NULL,
      payload = CASE WHEN substr(e.event_id, length('muster:child:') + 1) = ANY (?::text[]) THEN e.payload || '{"again": true}' ELSE e.payload END
  WHERE e.run_id = ? AND e.event_id = ANY (ARRAY(SELECT 'muster:child:' || path FROM unnest(?::text[]) AS paths (path))))
UPDATE {schema}.muster_workflow_events e
SET taken_by = CASE WHEN e.taken_by = ANY (?::text[]) THEN e.taken_by || '~' END
WHERE e.run_id = ? AND e.taken_by = ANY (?::text[]) AND e.event_id <> 'muster:child:' || e.taken_by
