-- What a child has told before a retry of its parent counts again.
UPDATE {schema}.muster_workflow_events e SET name = e.event_id, taken_by = NULL
WHERE e.run_id = ? AND e.event_id = 'muster:child:' || ? AND e.name <> e.event_id
