-- Lets the jobs of a queue run again. By the primary key.
UPDATE {schema}.muster_queues SET paused_at = NULL WHERE name = ?
