-- Gives a job that is locked by this transaction, and that nobody holds, another priority. It comes to another place in the
-- index that claims walk, of which they may have seen all up to the present: so it becomes ready now, if it was before.
UPDATE {schema}.muster_jobs j
SET priority = p.level, rank = p.level + (j.rank - j.priority), ready_at = greatest(j.ready_at, {schema}.muster_clock())
FROM (SELECT ?::smallint AS level) p
WHERE j.id = ? AND j.token IS NULL
RETURNING j.queue, j.capability
