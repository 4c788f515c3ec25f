-- Changes the priority of a job that this transaction has locked and no node has claimed. The job moves to another position in the index
-- that claims walk, where cursors may have passed already: so if the job was ready, it becomes ready now. For the same reason a job that waits for admission
-- stands behind those that have its new priority. In an ordered group priorities do not count.
-- A job that goes first in its priority goes first in the new one; one that was lifted (jobs/lift.sql) is lifted no more.
UPDATE {schema}.muster_jobs j
SET priority = p.level,
    rank = CASE WHEN j.concurrency_group IS NOT NULL AND j.ready_at = 'infinity'
                THEN CASE WHEN {schema}.muster_is_ordered(j.concurrency_group) THEN j.rank ELSE p.level END
                ELSE p.level + j.rank % 25 END,
    ready_at = greatest(j.ready_at, {schema}.muster_clock()),
    group_position = CASE WHEN j.group_position IS NULL OR j.ready_at < 'infinity' OR {schema}.muster_is_ordered(j.concurrency_group) THEN j.group_position
                   ELSE greatest(j.group_position, {schema}.muster_group_clock()) END
FROM (SELECT ?::smallint AS level) p
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability, j.concurrency_group
