-- Keeps other nodes from taking over a driver until the commit; no row if this claim of it is not the current one. Says whether the child at
-- this path has told its end already: then it is not started again, also if retention has deleted it.
SELECT EXISTS (SELECT FROM {schema}.muster_workflow_events e WHERE e.run_id = j.id AND e.event_id = 'muster:child:' || ?) AS told
FROM {schema}.muster_jobs j WHERE j.id = ? AND j.token = ? FOR KEY SHARE OF j
