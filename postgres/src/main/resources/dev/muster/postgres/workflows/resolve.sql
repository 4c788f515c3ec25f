-- The version for new runs: the newest active one that a live node has, or the named one. A version is as old as its first signature; of
-- several signatures of one version the newest counts.
SELECT d.name, d.version, d.signature, d.lifecycle, d.steps, d.queue, d.capability, d.priority, d.max_crashes
FROM {schema}.muster_workflow_definitions d
WHERE d.name = ? AND (d.version = ? OR ?::text IS NULL AND d.lifecycle = 'active')
  AND EXISTS (SELECT FROM {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
              WHERE v.verdict IN ('active', 'draining', 'stale')
                AND jsonb_exists(n.handlers, 'workflow:' || d.name || ':' || d.version || ':' || left(d.signature, 8)))
ORDER BY (SELECT min(o.first_seen) FROM {schema}.muster_workflow_definitions o WHERE o.name = d.name AND o.version = d.version) DESC,
         d.first_seen DESC, d.published_at DESC LIMIT 1
