-- A child that a retry of its parent has forgotten: what it was started with, and what has become of it. Of runs that continue one another
-- the first has the input, and the last counts. No row if retention has deleted one of them, or another child has taken its place.
SELECT f.id AS first_run, f.workflow_name, {schema}.muster_text(f.input) AS input, l.id AS last_run, l.status, l.finished_at IS NOT NULL AS ended, l.cancel_requested
FROM {schema}.muster_chain(?) c
JOIN {schema}.muster_workflow_runs f ON f.id = c.first_of_chain
JOIN {schema}.muster_workflow_runs l ON l.id = c.last_of_chain AND l.parent_path = ?
