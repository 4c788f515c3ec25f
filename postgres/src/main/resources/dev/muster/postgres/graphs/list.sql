-- Graphs, the newest first. Along the primary key, whose ids ascend with time.
SELECT g.id, g.name, g.key, g.status, g.tasks, g.open_tasks, g.cancel_requested, g.reason, g.created_at, g.finished_at
FROM {schema}.muster_graphs g
WHERE (?::uuid IS NULL OR g.id < ?) AND (?::text IS NULL OR g.name = ?) AND (?::text[] IS NULL OR g.status = ANY (?::text[]))
ORDER BY g.id DESC
LIMIT ?
