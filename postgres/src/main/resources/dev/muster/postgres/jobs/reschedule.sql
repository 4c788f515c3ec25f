-- Changes the due time of a job that this transaction has locked and no node has claimed. ready_at is never set in the past. A job
-- that was released and came first in its priority no longer does. A job that waits for others keeps waiting.
UPDATE {schema}.muster_jobs j
SET run_at = due.at, rank = j.priority,
    ready_at = CASE WHEN j.ready_at = 'infinity' THEN j.ready_at ELSE greatest(due.at, {schema}.muster_clock()) END
FROM (SELECT coalesce(?::timestamptz, {schema}.muster_clock() + ? * interval '1 millisecond') AS at) due
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability
