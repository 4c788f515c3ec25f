-- The columns of a list of runs.
l.id, l.workflow_name, l.workflow_version, l.status, l.resolution_reason,
CASE WHEN l.size <= 16777216 THEN {schema}.muster_text(l.input) ELSE ? END AS input,
CASE WHEN l.size <= 16777216 OR l.result IS NULL THEN {schema}.muster_text(l.result) ELSE ? END AS result,
l.error, l.key, l.parent_run, l.continued_as, l.awaiting, l.wake_at, l.cancel_requested, l.node_id, l.created_at, l.changed_at, l.finished_at
