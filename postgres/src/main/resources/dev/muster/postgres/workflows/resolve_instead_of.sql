-- The version for runs that continue those of a deprecated one: the newest active one that a live node has. No row if the version is not
-- deprecated, which is asked once and first.
SELECT d.name, d.version, d.signature, d.lifecycle, d.steps, d.queue, d.capability, d.priority, d.max_crashes
FROM {schema}.muster_workflow_definitions d
WHERE d.name = ? AND d.lifecycle = 'active'
  AND EXISTS (SELECT FROM {schema}.muster_workflow_definitions o WHERE o.name = ? AND o.version = ? AND o.lifecycle = 'deprecated')
  AND {workflows/parts/newest_live_version}
