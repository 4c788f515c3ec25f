-- How many jobs may be claimed now from the queue that this transaction has locked; no row if it has none. It must be a later statement
-- than the one that locks: only a later snapshot shows what the last holder of the lock has claimed. The limit is read here, too.
-- A place is used as long as a job that a note of this queue names is held by the node of the note. Notes before the floor were seen to
-- name no such job; numbers are drawn under the lock, so no later note has a lower one. After a failover numbers may repeat, and then
-- nothing is left out. The floor is a query of its own, because only then
-- the index begins there: pg_current_wal_lsn() is volatile.
-- Index: muster_claims_queue. Notes are read in the order of their numbers, which only that index has: with the statistics of an empty
-- table the planner would walk the primary key instead, which holds the notes of all queues and nodes.
WITH note AS MATERIALIZED (
  SELECT c.node_id, c.batch, c.ids
  FROM {schema}.muster_claims c
  WHERE c.queue = current_setting('muster.locked_queue')
    AND c.batch >= (SELECT CASE WHEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) = ? THEN ?::bigint ELSE 0 END)
  ORDER BY c.batch),
place AS MATERIALIZED (
  SELECT note.batch, j.id
  FROM note
  CROSS JOIN LATERAL unnest(note.ids) AS named (id)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = note.node_id AND j.token IS NOT NULL),
used AS MATERIALIZED (
  SELECT count(DISTINCT id)::integer AS places,
         coalesce(min(batch), (SELECT s.last_value FROM {schema}.muster_job_token_seq s)) AS floor
  FROM place),
pace AS MATERIALIZED (
  SELECT q.max_running, q.burst, date_part('epoch', q.rate_interval) * 1000 / q.rate_per AS step_ms,
         -- More than a burst ahead of the clock: the clock was set back since, and the rate begins anew.
         greatest(0, coalesce(date_part('epoch', CASE WHEN {jobs/parts/paid_in_time} THEN r.paid_until - {schema}.muster_statement_clock() END)
                              * 1000, 0)) AS debt_ms
  FROM {schema}.muster_queues q
  LEFT JOIN {schema}.muster_queue_rates r ON r.queue = ANY (ARRAY[q.name])
  WHERE q.name = current_setting('muster.locked_queue')),
allowed AS MATERIALIZED (
  SELECT used.floor,
         CASE WHEN pace.max_running IS NOT NULL THEN greatest(0, pace.max_running - used.places) END AS by_number,
         CASE WHEN pace.burst IS NOT NULL
              THEN greatest(0, floor((pace.burst * pace.step_ms - pace.debt_ms) / pace.step_ms))::integer END AS by_rate,
         -- Until half a burst may be claimed, so that not every job is claimed by itself.
         ceil(greatest(0, pace.debt_ms + (greatest(1, pace.burst / 2) - pace.burst) * pace.step_ms))::bigint AS until_rate_ms
  FROM used CROSS JOIN pace)
SELECT a.floor, a.by_rate, a.until_rate_ms, a.room,
       -- A node that has no thread for a job takes a place only if there are many: at most half of those that are free.
       set_config('muster.room', least(a.room, greatest(?, a.room / 2))::text, true)::integer AS allowed
FROM (SELECT *, least(by_number, by_rate, 1000000) AS room FROM allowed) a
