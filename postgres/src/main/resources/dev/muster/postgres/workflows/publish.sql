-- Publishes versions of workflows. A version that any build has deprecated stays so, whatever other builds of it say: otherwise a node with
-- the old code would activate it again each time it publishes. So a deprecation also reaches the rows of the version's other signatures. Of
-- versions that are published together for the first time, each is a microsecond newer than the one before it in the list.
WITH n AS MATERIALIZED (
  SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[])
    WITH ORDINALITY AS n (name, version, signature, lifecycle, steps, queue, capability, priority, max_crashes, ordinal)),
clock AS MATERIALIZED (SELECT {schema}.muster_clock() AS now),
others AS (
  UPDATE {schema}.muster_workflow_definitions d SET lifecycle = 'deprecated'
  FROM n WHERE n.lifecycle = 'deprecated' AND d.name = n.name AND d.version = n.version AND d.signature <> n.signature
    AND d.lifecycle <> 'deprecated'
    AND NOT EXISTS (SELECT FROM n o WHERE o.name = d.name AND o.version = d.version AND o.signature = d.signature))
INSERT INTO {schema}.muster_workflow_definitions AS d
  (name, version, signature, lifecycle, steps, queue, capability, priority, max_crashes, first_seen, published_at)
SELECT n.name, n.version, n.signature,
       CASE WHEN EXISTS (SELECT FROM {schema}.muster_workflow_definitions o
                         WHERE o.name = n.name AND o.version = n.version AND o.lifecycle = 'deprecated')
            THEN 'deprecated' ELSE n.lifecycle END,
       string_to_array(n.steps, ' '), n.queue, n.capability, n.priority, n.max_crashes, clock.now + n.ordinal * interval '1 microsecond', clock.now
FROM n CROSS JOIN clock
ON CONFLICT (name, version, signature) DO UPDATE
SET lifecycle = CASE WHEN d.lifecycle = 'deprecated' THEN d.lifecycle ELSE excluded.lifecycle END, steps = excluded.steps,
    queue = excluded.queue, capability = excluded.capability, priority = excluded.priority, max_crashes = excluded.max_crashes,
    published_at = excluded.published_at
