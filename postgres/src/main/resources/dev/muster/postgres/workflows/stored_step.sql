-- A step as it is stored, and whether this claim of the driver is the current one. OFFSET 0 keeps run and driver out of joins, for which
-- the planner would walk a whole index when it believes their tables to be nearly empty.
SELECT s.path, s.name, s.kind, s.status, s.attempt, {schema}.muster_text(s.result) AS result, s.error, s.due_at, s.compensation,
       {schema}.muster_text(s.compensation_args) AS compensation_args, s.node_id,
       s.stored_at, r.cancel_requested, r.finished_at IS NOT NULL AS ended,
       EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = r.workflow_name) AS paused,
       EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[r.id]) AND j.token = ? OFFSET 0) AS held
FROM (SELECT * FROM {schema}.muster_workflow_runs WHERE id = ? OFFSET 0) r
LEFT JOIN {schema}.muster_workflow_steps s ON s.run_id = r.id AND s.steps_from = r.steps_from AND s.path = ?
