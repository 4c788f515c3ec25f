-- How many jobs may be claimed now from the queue that this transaction has locked; no row if it has none. It must be a later statement
-- than the one that locks: only a later snapshot shows what the last holder of the lock has claimed. The limit is read here, too.
-- A place is used as long as a job that a note of this queue names is held by the node of the note. Notes that an earlier count has seen
-- are looked up by their numbers if they named such a job then, and left out if not; later notes are walked. So a job that runs for hours
-- makes nobody walk what has come and gone beside it. Numbers are drawn under the lock, so no later note has a lower one. After a failover
-- numbers may repeat, and then nothing is left out. Where to begin is a query of its own, because only then the index begins there:
-- pg_current_wal_lsn() is volatile.
-- Jobs that were claimed before the queue had a limit may have no note of this queue yet. While transactions that may claim such jobs are
-- under way, there is no room, for two seconds; and none from when they have ended until the jobs are noted.
-- Index: muster_claims_queue. Notes are read in the order of their numbers, which only that index has: with the statistics of an empty
-- table the planner would walk the primary key instead, which holds the notes of all queues and nodes.
WITH seen AS MATERIALIZED (
  SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) = ? AS still, ?::bigint[] AS held, ?::bigint AS up_to),
note AS MATERIALIZED (
  SELECT old.node_id, old.number, old.ids
  FROM (SELECT unnest(seen.held) AS number FROM seen WHERE seen.still) held
  CROSS JOIN LATERAL (
    SELECT c.node_id, c.number, c.ids
    FROM {schema}.muster_claims c
    WHERE c.queue = current_setting('muster.locked_queue') AND c.number >= held.number AND c.number <= held.number
    ORDER BY c.number) old
  UNION ALL
  (SELECT c.node_id, c.number, c.ids
   FROM {schema}.muster_claims c
   WHERE c.queue = current_setting('muster.locked_queue')
     AND c.number >= (SELECT CASE WHEN seen.still THEN seen.up_to ELSE 0 END FROM seen)
   ORDER BY c.number)),
place AS MATERIALIZED (
  SELECT note.number, j.id
  FROM note
  CROSS JOIN LATERAL unnest(note.ids) AS named (id)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = note.node_id AND j.token IS NOT NULL),
used AS MATERIALIZED (
  SELECT count(DISTINCT id)::integer AS places, coalesce(array_agg(DISTINCT number), '{}') AS held,
         (SELECT s.last_value FROM {schema}.muster_job_token_seq s) AS up_to
  FROM place),
pace AS MATERIALIZED (
  SELECT q.max_running, q.burst, date_part('epoch', q.rate_interval) * 1000 / q.rate_per AS step_ms,
         -- More than a burst ahead of the clock: the clock was set back since, and the rate starts over.
         greatest(0, coalesce(date_part('epoch', CASE WHEN {jobs/parts/paid_in_time} THEN r.paid_until - {schema}.muster_statement_clock() END)
                              * 1000, 0)) AS debt_ms,
         {jobs/parts/notes_owed} AS notes_owed, q.count_again_after, q.count_again_at
  FROM {schema}.muster_queues q
  LEFT JOIN LATERAL {jobs/parts/rate_used} r ON true
  WHERE q.name = current_setting('muster.locked_queue')),
allowed AS MATERIALIZED (
  SELECT used.held, used.up_to, pace.notes_owed,
         pace.max_running IS NOT NULL AND pace.count_again_after IS NOT NULL
         AND (pace.notes_owed
              OR pg_catalog.statement_timestamp() BETWEEN pace.count_again_at - interval '1 minute' AND pace.count_again_at + interval '1.9 s')
           AS waits_for_claims,
         CASE WHEN pace.max_running IS NOT NULL THEN greatest(0, pace.max_running - used.places) END AS by_number,
         CASE WHEN pace.burst IS NOT NULL
              THEN greatest(0, floor((pace.burst * pace.step_ms - pace.debt_ms) / pace.step_ms))::integer END AS by_rate,
         -- Until half a burst may be claimed, so that not every job is claimed by itself.
         ceil(greatest(0, pace.debt_ms + (greatest(1, pace.burst / 2) - pace.burst) * pace.step_ms))::bigint AS until_rate_ms
  FROM used CROSS JOIN pace)
SELECT a.held, a.up_to, a.notes_owed, a.waits_for_claims, a.by_rate, a.until_rate_ms, a.room,
       -- A node that has no thread for a job takes a place only if there are many: at most half of those that are free.
       set_config('muster.room', least(a.room, greatest(?, a.room / 2))::text, true)::integer AS allowed
FROM (SELECT *, CASE WHEN waits_for_claims THEN 0 ELSE least(by_number, by_rate, 1000000) END AS room FROM allowed) a
