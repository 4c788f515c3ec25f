-- Removes rows that no node needs: instances of nodes that are gone, and daemons that are in no node's code any more.
DELETE FROM {schema}.muster_daemons d
WHERE coalesce(d.lease_until, d.free_since, d.failed_at, '-infinity') < {schema}.muster_clock() - interval '10 minutes'
  AND CASE WHEN d.slot <> '' THEN NOT EXISTS (SELECT FROM {schema}.muster_nodes n WHERE n.id = d.slot)
      ELSE NOT EXISTS (SELECT FROM {schema}.muster_nodes n WHERE d.name = ANY (n.daemons)) END
