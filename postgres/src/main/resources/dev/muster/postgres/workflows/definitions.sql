-- The published versions of workflows, and whether a live node has them.
SELECT d.name, d.version, d.signature, d.lifecycle, d.steps, d.first_seen,
       EXISTS (SELECT FROM {schema}.muster_workflow_pauses p WHERE p.name = d.name) AS paused,
       EXISTS (SELECT FROM {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
               WHERE v.verdict IN ('active', 'draining', 'stale')
                 AND jsonb_exists(n.handlers, 'workflow:' || d.name || ':' || d.version || ':' || left(d.signature, 8))) AS live
FROM {schema}.muster_workflow_definitions d
ORDER BY d.name, d.first_seen, d.signature
