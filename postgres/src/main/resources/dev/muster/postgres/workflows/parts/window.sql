-- The next live runs after a given one. Statements that walk over all live runs look at one window at a time, and change at most 500 of its
-- runs, each found by its id in a lateral join: in any other join the planner may compare all live runs with the whole window, because it
-- believes that hardly any of them fit.
part AS MATERIALIZED (
  SELECT r.id FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at IS NULL AND r.id > ? ORDER BY r.id LIMIT 2000)
