-- One step of a run with its whole result. By the primary key of the partition of the run's day.
SELECT s.path, s.name, s.kind, s.status, s.attempt, {schema}.muster_text(s.result) AS result, false AS left_out, s.error, s.due_at, s.compensation, s.node_id, s.stored_at
FROM {schema}.muster_workflow_steps s
WHERE s.run_id = ? AND s.path = ? AND s.steps_from = (SELECT r.steps_from FROM {schema}.muster_workflow_runs r WHERE r.id = ?)
