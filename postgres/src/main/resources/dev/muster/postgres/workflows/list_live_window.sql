-- Where a window of live runs begins that ends before a given one; nothing if no window is left before it. Along index
-- muster_workflow_runs_live_id.
SELECT r.id FROM {schema}.muster_workflow_runs r
WHERE r.finished_at IS NULL AND r.id < coalesce(?::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY r.id DESC OFFSET 1999 LIMIT 1
