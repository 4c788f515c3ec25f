-- One graph. By the primary key.
SELECT g.id, g.name, g.key, g.status, g.tasks, g.open_tasks, g.cancel_requested, g.reason, g.created_at, g.finished_at
FROM {schema}.muster_graphs g WHERE g.id = ?
