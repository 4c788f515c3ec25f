-- Changes the priority of a job that this transaction has locked and no node has claimed. The job moves to another place in the index
-- that claims walk, where cursors may have passed already: so if the job was ready, it becomes ready now.
-- A job that goes first in its priority goes first in the new one; one that was lifted (jobs/lift.sql) is lifted no more.
UPDATE {schema}.muster_jobs j
SET priority = p.level, rank = p.level + j.rank % 25, ready_at = greatest(j.ready_at, {schema}.muster_clock())
FROM (SELECT ?::smallint AS level) p
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability
