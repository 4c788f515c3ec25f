-- Publishes versions of workflows. Runs that were blocked by other code of the same version are due at once.
WITH n AS MATERIALIZED (
  SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[])
    AS n (name, version, signature, lifecycle, steps, queue, capability, priority, max_crashes))
INSERT INTO {schema}.muster_workflow_definitions AS d
  (name, version, signature, lifecycle, steps, queue, capability, priority, max_crashes, first_seen, published_at)
SELECT n.name, n.version, n.signature, n.lifecycle, string_to_array(n.steps, ' '), n.queue, n.capability, n.priority, n.max_crashes,
       {schema}.muster_clock(), {schema}.muster_clock()
FROM n
ON CONFLICT (name, version, signature) DO UPDATE
SET lifecycle = excluded.lifecycle, steps = excluded.steps, queue = excluded.queue, capability = excluded.capability,
    priority = excluded.priority, max_crashes = excluded.max_crashes, published_at = excluded.published_at
