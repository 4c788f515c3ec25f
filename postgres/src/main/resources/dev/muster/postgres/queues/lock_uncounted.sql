-- Locks a queue's row, and waits for it, if jobs that were claimed before the queue had a limit may not be noted yet. Says whether they are
-- to be noted now, and whether claims wait for that. By the primary key.
SELECT {jobs/parts/notes_owed} AS now, q.count_again_after IS NOT NULL AS waits
FROM {schema}.muster_queues q
WHERE q.name = ? AND q.count_again_at IS NOT NULL
FOR NO KEY UPDATE
