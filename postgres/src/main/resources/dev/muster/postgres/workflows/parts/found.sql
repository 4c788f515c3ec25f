-- What is read of one run; other files say of which.
SELECT l.id, l.workflow_name, l.workflow_version, l.status, l.resolution_reason, {schema}.muster_text(l.input) AS input,
       {schema}.muster_text(l.result) AS result, l.error, l.key, l.parent_run, l.continued_as, l.awaiting, l.wake_at, l.cancel_requested,
       l.node_id, l.created_at, l.changed_at, l.finished_at
