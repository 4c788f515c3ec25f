-- Adds the tasks of a graph.
INSERT INTO {schema}.muster_graph_tasks
  (graph_id, number, task_id, job_id, name, queue, capability, priority, max_attempts, max_crashes, timeout_ms, trigger, inputs, metadata,
   tags, takes_from, parents_open, required_open, trace)
SELECT ?::uuid, n.number, n.task_id, n.job_id, n.name, n.queue, n.capability, n.priority, n.max_attempts, n.max_crashes, n.timeout_ms,
       n.trigger, n.inputs::jsonb, n.metadata::jsonb, n.tags::text[], n.takes_from::int[], n.parents, n.required, ?::text
FROM unnest(?::int[], ?::text[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::smallint[], ?::smallint[], ?::smallint[], ?::bigint[],
            ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::int[])
  AS n (number, task_id, job_id, name, queue, capability, priority, max_attempts, max_crashes, timeout_ms, trigger, inputs, metadata, tags,
        takes_from, parents, required)
