-- Claims at most as many jobs as Claimer.wanted says (both LIMITs), for each rank from high to low, lane by lane, along index
-- muster_jobs_ready. Queues with a limit are left to claim_limited.sql.
-- MATERIALIZED and the array keep the planner from running the limited scan more than once, which would claim more than the limit.
-- The token is drawn per row after the row is locked, so that the tokens of one job ascend. The lease is the same for all.
-- No column that is set here is in an index: see muster_jobs in V002__jobs.sql. The rows get their values from the note that is inserted
-- into muster_claims, so that no job is claimed that could not be found again.
-- xmax: a row that another transaction has locked or is changing carries that transaction's id. Skipping such rows before trying to lock
-- them saves two visits to the lock table for each, which with many claimers cost more than the claim itself. A row that one transaction
-- has locked and then written, such as a job that was taken back, carries the id of that transaction. A lock that was given up also leaves
-- its mark. So scans that look behind the cursor do not use xmax; and once such a scan has met a marked row, no scan uses xmax until one
-- meets none.
-- The note gets its number from the sequence of the tokens, so that the notes of a node ascend with its claims.
-- The time and the ctid are returned in PostgreSQL's own format on every connection: their text form is expensive to write and to read, and
-- the time as a number would go through floating point.
-- Args that are too large are returned as null: the thread that runs the job reads them. To measure args, PostgreSQL has to unpack only
-- those that are stored compressed, and plain jobs have none.
WITH lane AS MATERIALIZED (
  SELECT l.*, ?::boolean AS ignore_xmax
  FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bigint[]) AS l (rank, queue, capability, cursor_micros)
  WHERE NOT EXISTS (SELECT FROM {schema}.muster_queues q WHERE q.name = l.queue AND (q.paused_at IS NOT NULL OR q.limited))),
picked AS MATERIALIZED (
  SELECT found.tid, found.id, found.xmax_set
  FROM lane
  CROSS JOIN LATERAL (
    {jobs/parts/claimable}
    ORDER BY j.ready_at
    LIMIT ?
    FOR UPDATE SKIP LOCKED) found
  LIMIT ?),
noted AS (
  INSERT INTO {schema}.muster_claims (node_id, number, lease_until, ids)
  SELECT ?, nextval('{schema}.muster_job_token_seq'), {schema}.muster_clock() + ? * interval '1 millisecond', array_agg(id)
  FROM picked
  HAVING count(*) > 0
  RETURNING node_id, number, lease_until, ?::integer AS max_content)
{jobs/parts/claim_picked}
