-- Decides what follows from the end of tasks of one graph, whose row this transaction has locked.
SELECT d.lane_queue, d.lane_capability
FROM {schema}.muster_decide_tasks(array_fill(?::uuid, ARRAY[?]), ?::int[], NULL, NULL) d
