-- Changes the due time of a job that this transaction has locked and no node has claimed. ready_at is never set in the past. A job
-- that was released and came first in its priority no longer does. A job that waits for others keeps waiting, and a
-- job in line gets another place there.
UPDATE {schema}.muster_jobs j
SET run_at = due.at, rank = CASE WHEN j.ready_at = 'infinity' THEN j.rank ELSE j.priority END,
    ready_at = CASE WHEN j.ready_at = 'infinity' THEN j.ready_at ELSE greatest(due.at, {schema}.muster_clock()) END,
    line_at = CASE WHEN j.line_at IS NOT NULL AND j.ready_at = 'infinity' THEN greatest(due.at, {schema}.muster_line_clock()) ELSE j.line_at END
FROM (SELECT coalesce(?::timestamptz, {schema}.muster_clock() + ? * interval '1 millisecond') AS at) due
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability, j.line
