-- The newest of some versions that a live node has. A version is as old as its first signature; of several signatures of one version the
-- newest counts.
EXISTS (SELECT FROM {schema}.muster_verdicts() v JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
              WHERE v.verdict IN ('active', 'draining', 'stale')
                AND jsonb_exists(n.handlers, 'workflow:' || d.name || ':' || d.version || ':' || left(d.signature, 8)))
ORDER BY (SELECT min(o.first_seen) FROM {schema}.muster_workflow_definitions o WHERE o.name = d.name AND o.version = d.version) DESC,
         d.first_seen DESC, d.published_at DESC LIMIT 1
