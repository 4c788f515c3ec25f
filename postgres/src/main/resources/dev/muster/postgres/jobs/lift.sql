-- Lifts the oldest jobs of these lanes, which all have one rank, by one priority: those that have been due for so long and that nobody
-- holds.
-- Along index muster_jobs_ready, in each lane from where the last pass ended, so that dead entries before are not met. Priorities are 25
-- apart, and a job that goes first in its priority goes first in the next one. ready_at becomes the present time because cursors of the new
-- rank may have passed the old one; rows are locked before that without waiting, so it is the present time.
-- A lane that is returned starts the next time at its last job, or, if it had fewer jobs than it may, where they had not waited long
-- enough.
-- A lane of a paused queue is not returned.
WITH lane AS MATERIALIZED (
  SELECT l.*, {schema}.muster_statement_clock() - ? * interval '1 millisecond' AS until, ?::integer AS most
  FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bigint[]) AS l (rank, queue, capability, from_micros)
  WHERE l.rank < 100 AND NOT EXISTS (SELECT FROM {schema}.muster_queues q WHERE q.name = l.queue AND q.paused_at IS NOT NULL)),
picked AS MATERIALIZED (
  SELECT found.tid, found.ready_at, lane.queue, lane.capability
  FROM lane
  CROSS JOIN LATERAL (
    SELECT j.ctid AS tid, j.ready_at
    FROM {schema}.muster_jobs j
    WHERE j.status = 'pending' AND j.token IS NULL AND j.ready_at < 'infinity'
      AND j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank
      AND j.ready_at <= lane.until
      AND j.ready_at >= CASE WHEN lane.from_micros <= 0 THEN '-infinity'
                             ELSE timestamptz 'epoch' + lane.from_micros * interval '1 microsecond' END
    ORDER BY j.ready_at
    LIMIT lane.most
    FOR UPDATE SKIP LOCKED) found),
lifted AS (
  UPDATE {schema}.muster_jobs j SET rank = j.rank + 25, ready_at = {schema}.muster_clock()
  WHERE j.ctid = ANY (ARRAY (SELECT tid FROM picked)))
SELECT lane.queue, lane.capability, p.jobs,
       (extract(epoch FROM greatest(CASE WHEN p.jobs < lane.most THEN lane.until ELSE p.last END, timestamptz 'epoch')) * 1000000)::bigint AS next_micros
FROM lane
CROSS JOIN LATERAL (
  SELECT count(*) AS jobs, max(picked.ready_at) AS last FROM picked
  WHERE picked.queue = lane.queue AND picked.capability = lane.capability) p
