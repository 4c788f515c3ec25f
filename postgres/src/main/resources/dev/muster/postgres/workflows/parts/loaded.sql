-- What activations need of their runs.
r.id, coalesce(r.first_run, r.id) AS first_run, r.parent_run IS NOT NULL AS child, r.steps_from, r.workflow_name,
r.workflow_version, {schema}.muster_text(r.input) AS input, r.ends_as, r.error, r.resolution_reason, r.cancel_requested,
r.finished_at IS NOT NULL AS ended, {schema}.muster_clock() AS now,
EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name) AS paused
FROM {schema}.muster_workflow_runs r
