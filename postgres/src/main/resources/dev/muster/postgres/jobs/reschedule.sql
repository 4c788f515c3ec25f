-- Changes the due time of a job that this transaction has locked and no node has claimed. ready_at is never set in the past. A job
-- that was released and came first in its priority no longer does. A job that waits for others keeps waiting, and a
-- job in line gets another place there. A job that was admitted and is due later gives its place back and stands in line again, unless
-- the line is ordered.
UPDATE {schema}.muster_jobs j
SET run_at = due.at,
    status = CASE WHEN due.later AND {jobs/parts/leaves_place} THEN 'waiting' ELSE j.status END,
    rank = CASE WHEN j.ready_at = 'infinity' AND j.line_at IS NOT NULL THEN {schema}.muster_rank_in_line(j.line, j.priority, NOT due.later)
                WHEN j.ready_at = 'infinity' THEN j.rank
                WHEN due.later AND {jobs/parts/leaves_place} THEN {schema}.muster_rank_in_line(j.line, j.priority, false)
                ELSE j.priority END,
    ready_at = CASE WHEN j.ready_at = 'infinity' OR due.later AND {jobs/parts/leaves_place} THEN 'infinity'
                    ELSE greatest(due.at, {schema}.muster_clock()) END,
    line_at = CASE WHEN j.line_at IS NOT NULL AND j.ready_at = 'infinity' OR due.later AND {jobs/parts/leaves_place}
                   THEN CASE WHEN due.later THEN greatest(due.at, {schema}.muster_line_clock()) ELSE {schema}.muster_position_in_line(j.line) END
                   ELSE j.line_at END
FROM (SELECT t.at, t.at > {schema}.muster_clock() AS later
      FROM (SELECT coalesce(?::timestamptz, {schema}.muster_clock() + ? * interval '1 millisecond') AS at OFFSET 0) t) due
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability, j.line
