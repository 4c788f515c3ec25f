-- Changes the priority of a job that this transaction has locked and no node has claimed. The job moves to another place in the index
-- that claims walk, where cursors may have passed already: so if the job was ready, it becomes ready now.
UPDATE {schema}.muster_jobs j
SET priority = p.level, rank = p.level + (j.rank - j.priority), ready_at = greatest(j.ready_at, {schema}.muster_clock())
FROM (SELECT ?::smallint AS level) p
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability
