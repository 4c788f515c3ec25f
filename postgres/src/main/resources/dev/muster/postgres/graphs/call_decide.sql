-- Decides about waiting tasks of one graph, whose row this transaction has locked or added.
SELECT d.lane_queue, d.lane_capability
FROM {schema}.muster_decide_tasks(NULL, NULL, array_fill(?::uuid, ARRAY[?]), ?::int[]) d
