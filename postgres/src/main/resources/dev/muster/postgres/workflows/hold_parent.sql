-- Keeps other nodes from taking over a driver until the commit; no row if this claim of it is not the current one. Says whether the child at
-- this path has told its end already: then it is not started again, also if retention has deleted it. If a retry has forgotten the child
-- that was there, it says which run that is, and whether it continues together with its parent.
SELECT coalesce(e.name = e.event_id, false) AS told, CASE WHEN e.name <> e.event_id THEN (e.payload ->> 'run')::uuid END AS former,
       e.payload ->> 'again' IS NOT NULL AS again
FROM {schema}.muster_jobs j
LEFT JOIN {schema}.muster_workflow_events e ON e.run_id = j.id AND e.event_id = 'muster:child:' || ?
WHERE j.id = ? AND j.token = ? FOR KEY SHARE OF j
