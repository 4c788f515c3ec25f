-- Gives a job that is locked by this transaction, and that nobody holds, another due time. Whatever the time, ready_at is not in
-- the past. One that was handed back and went first does so no more. What waits for others keeps waiting.
UPDATE {schema}.muster_jobs j
SET run_at = due.at, rank = j.priority,
    ready_at = CASE WHEN j.ready_at = 'infinity' THEN j.ready_at ELSE greatest(due.at, {schema}.muster_clock()) END
FROM (SELECT coalesce(?::timestamptz, {schema}.muster_clock() + ? * interval '1 millisecond') AS at) due
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability
