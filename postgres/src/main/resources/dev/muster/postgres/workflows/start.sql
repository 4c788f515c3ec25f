-- Adds runs and their drivers in one statement; runs whose id or key exists already are left out. ready_at is never in the past.
WITH n AS MATERIALIZED (
  SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[],
                       ?::text[], ?::text[], ?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
    AS n (id, name, version, signature, driver, queue, capability, priority, max_crashes, input, key, delay_ms, parent, parent_path, trace,
          key_kid, key_hash)),
run AS (
  INSERT INTO {schema}.muster_workflow_runs
    (id, workflow_name, workflow_version, signature, input, key, parent_run, parent_path, queue, capability, priority, max_crashes,
     steps_from, created_at, changed_at, trace, key_kid, key_hash)
  SELECT n.id, n.name, n.version, n.signature, n.input::jsonb, n.key, n.parent, n.parent_path, n.queue, n.capability, n.priority,
         n.max_crashes, {schema}.muster_clock(), {schema}.muster_clock(), {schema}.muster_clock(), n.trace,
         n.key_kid, decode(n.key_hash, 'hex')
  FROM n
  ON CONFLICT DO NOTHING
  RETURNING id)
INSERT INTO {schema}.muster_jobs
  (id, name, queue, capability, priority, rank, run_at, ready_at, created_at, args, max_crashes, trace)
SELECT n.id, n.driver, n.queue, n.capability, n.priority, n.priority,
       t.now + coalesce(n.delay_ms, 0) * interval '1 millisecond', t.now + coalesce(n.delay_ms, 0) * interval '1 millisecond',
       t.now, 'null', n.max_crashes, n.trace
FROM run JOIN n ON n.id = run.id
CROSS JOIN LATERAL (SELECT {schema}.muster_clock() AS now WHERE n.id IS NOT NULL) t
RETURNING id
