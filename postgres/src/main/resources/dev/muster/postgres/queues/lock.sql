-- Locks a queue's row, and waits for it. By the primary key.
SELECT limited FROM {schema}.muster_queues WHERE name = ? FOR NO KEY UPDATE
