-- Where a window of runs begins that ends before a given one; nothing if no window is left before it. Along the primary key.
SELECT r.id FROM {schema}.muster_workflow_runs r
WHERE r.id < coalesce(?::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
ORDER BY r.id DESC OFFSET 1999 LIMIT 1
