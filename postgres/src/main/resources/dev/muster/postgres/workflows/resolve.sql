-- The version for new runs: the newest active one that a live node has, or the named one.
SELECT d.name, d.version, d.signature, d.lifecycle, d.steps, d.queue, d.capability, d.priority, d.max_crashes
FROM {schema}.muster_workflow_definitions d
WHERE d.name = ? AND (d.version = ? OR ?::text IS NULL AND d.lifecycle = 'active')
  AND {workflows/parts/newest_live_version}
