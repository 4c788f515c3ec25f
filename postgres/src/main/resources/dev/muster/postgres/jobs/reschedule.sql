-- Changes the due time of a job that this transaction has locked and no node has claimed. ready_at is never set in the past. A job
-- that was released and came first in its priority no longer does. A job that waits for others keeps waiting, and a
-- job that waits for admission gets another position there. A job that was admitted and is due later gives its place back and waits for admission again, unless
-- the group is ordered.
UPDATE {schema}.muster_jobs j
SET run_at = due.at,
    status = CASE WHEN due.later AND {jobs/parts/leaves_place} THEN 'waiting' ELSE j.status END,
    rank = CASE WHEN j.ready_at = 'infinity' AND j.group_position IS NOT NULL THEN {schema}.muster_rank_in_group(j.concurrency_group, j.priority, NOT due.later)
                WHEN j.ready_at = 'infinity' THEN j.rank
                WHEN due.later AND {jobs/parts/leaves_place} THEN {schema}.muster_rank_in_group(j.concurrency_group, j.priority, false)
                ELSE j.priority END,
    ready_at = CASE WHEN j.ready_at = 'infinity' OR due.later AND {jobs/parts/leaves_place} THEN 'infinity'
                    ELSE greatest(due.at, {schema}.muster_clock()) END,
    group_position = CASE WHEN j.group_position IS NOT NULL AND j.ready_at = 'infinity' OR due.later AND {jobs/parts/leaves_place}
                   THEN CASE WHEN due.later THEN greatest(due.at, {schema}.muster_group_clock()) ELSE {schema}.muster_position_in_group(j.concurrency_group) END
                   ELSE j.group_position END
FROM (SELECT t.at, t.at > {schema}.muster_clock() AS later
      FROM (SELECT coalesce(?::timestamptz, {schema}.muster_clock() + ? * interval '1 millisecond') AS at OFFSET 0) t) due
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability, j.concurrency_group
