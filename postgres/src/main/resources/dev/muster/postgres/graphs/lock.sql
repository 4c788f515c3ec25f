-- Locks a graph's row in a statement of its own, so that the next one sees what was committed before.
SELECT g.finished_at IS NOT NULL AS ended FROM {schema}.muster_graphs g WHERE g.id = ? FOR NO KEY UPDATE
