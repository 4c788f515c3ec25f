-- Claims at most as many jobs as Claimer.wanted says (both LIMITs), for each rank from high to low, lane by lane, along index muster_jobs_ready.
-- MATERIALIZED and the array keep the planner from running the limited scan more than once, which would claim more than the limit.
-- The token is drawn per row after the row is locked, so that the tokens of one job ascend. The lease is the same for all.
-- No column that is set here is in an index: see muster_jobs in V002__jobs.sql. The rows get their values from the note that is
-- inserted into muster_claims, so that no job is claimed that could not be found again.
-- xmax: a row that another transaction has locked or is changing carries that transaction's id. Skipping such rows before trying to
-- lock them saves two visits to the lock table for each, which with many claimers cost more than the claim itself. A row that one
-- transaction has locked and then written, such as a job that was taken back, carries the id of that transaction. A lock that was
-- given up also leaves its mark. So scans that look behind the cursor do not use xmax; and once such a scan has met a marked row, no
-- scan uses xmax until one meets none.
-- The note gets its number (batch) from the sequence of the tokens, so that the notes of a node ascend with its claims.
-- The time and the place (ctid) are returned in PostgreSQL's own format on every connection: their text form is expensive to write
-- and to read, and the time as a number would go through floating point.
-- Args that are too large are returned as null: the thread that runs the job reads them. To measure args, PostgreSQL has to unpack
-- only those that are stored compressed, and plain jobs have none.
WITH lane AS MATERIALIZED (
  SELECT l.*, ?::boolean AS ignore_xmax
  FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bigint[]) AS l (rank, queue, capability, cursor_micros)
  WHERE NOT EXISTS (SELECT FROM {schema}.muster_queues q WHERE q.name = l.queue AND q.paused_at IS NOT NULL)),
picked AS MATERIALIZED (
  SELECT found.tid, found.id, found.xmax_set
  FROM lane
  CROSS JOIN LATERAL (
    SELECT j.ctid AS tid, j.id, lane.ignore_xmax AND j.xmax <> 0 AND j.xmax <> j.xmin AS xmax_set
    FROM {schema}.muster_jobs j
    WHERE j.status = 'pending' AND j.ready_at < 'infinity' AND (j.xmax = 0 OR j.xmax = j.xmin OR lane.ignore_xmax)
      AND j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank
      AND j.ready_at <= {schema}.muster_statement_clock()
      AND j.ready_at >= CASE WHEN lane.cursor_micros < 0 THEN '-infinity'
                             ELSE timestamptz 'epoch' + lane.cursor_micros * interval '1 microsecond' END
      AND (?::text[] IS NULL OR j.name = ANY (?::text[]))
      AND (NOT j.suspect OR j.crashes = 0 OR ?)
      AND (j.expires_at IS NULL OR j.expires_at > {schema}.muster_statement_clock())
    ORDER BY j.ready_at
    LIMIT ?
    FOR UPDATE SKIP LOCKED) found
  LIMIT ?),
noted AS (
  INSERT INTO {schema}.muster_claims (node_id, batch, lease_until, ids)
  SELECT ?, nextval('{schema}.muster_job_token_seq'), {schema}.muster_clock() + ? * interval '1 millisecond', array_agg(id)
  FROM picked
  HAVING count(*) > 0
  RETURNING node_id, batch, lease_until, ?::integer AS max_content)
UPDATE {schema}.muster_jobs j
SET status = 'claimed', node_id = noted.node_id, token = nextval('{schema}.muster_job_token_seq'), attempt = attempt + 1,
    lease_until = noted.lease_until, started_at = NULL
FROM noted
WHERE j.ctid = ANY (ARRAY (SELECT tid FROM picked))
RETURNING j.id, j.token, j.name, j.queue, j.capability, j.rank, timestamptz_send(j.ready_at) AS ready_at,
  j.attempt, j.max_attempts, j.max_crashes, j.crashes, j.suspect, j.timeout_ms,
  CASE WHEN pg_column_size(j.args) <= noted.max_content
        AND (pg_column_compression(j.args) IS NULL OR octet_length(j.args::text) <= noted.max_content)
        AND (j.metadata IS NULL OR octet_length(j.metadata::text) <= noted.max_content) THEN j.args END AS args,
  CASE WHEN octet_length(j.metadata::text) <= noted.max_content THEN j.metadata END AS metadata,
  tidsend(j.ctid) AS place, noted.batch, EXISTS (SELECT FROM picked WHERE xmax_set) AS xmax_set, j.line
