-- Another child takes the place of those that a retry of their parent has forgotten: what they may still tell reaches nobody. Along index
-- muster_workflow_runs_children.
UPDATE {schema}.muster_workflow_runs r SET parent_path = r.parent_path || '~'
WHERE r.parent_run = ? AND r.parent_path = ? AND r.id <> ?
