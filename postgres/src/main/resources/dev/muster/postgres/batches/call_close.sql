-- Closes a batch if its condition is decided.
SELECT closed, lane_queue, lane_capability FROM {schema}.muster_close_batch(?)
