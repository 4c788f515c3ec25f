-- Creates the partitions of history for this many days ahead. Whoever analyzes the table holds its lock for long; a few seconds
-- later will do.
SELECT set_config('lock_timeout', '2s', true), {schema}.muster_prepare_history(?)
