-- Claims jobs from one limited queue, like claim.sql, and no more than the room that queue_room.sql has found. The note bears the queue:
-- it is what the next claimer counts. For a queue with a rate, what the claimed jobs cost is added. The row of the rate gets another key in
-- each second: while a transaction keeps its old versions, a lookup meets only those of one second.
WITH lane AS MATERIALIZED (
  SELECT l.*, ?::boolean AS ignore_xmax
  FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bigint[]) AS l (rank, queue, capability, cursor_micros)
  WHERE l.queue = current_setting('muster.locked_queue')),
picked AS MATERIALIZED (
  SELECT found.tid, found.id, found.xmax_set
  FROM lane
  CROSS JOIN LATERAL (
    {jobs/parts/claimable}
    ORDER BY j.ready_at
    LIMIT least(?, current_setting('muster.room')::integer)
    FOR UPDATE SKIP LOCKED) found
  LIMIT least(?, current_setting('muster.room')::integer)),
rate AS MATERIALIZED (
  SELECT q.name, cost.time AS cost, r.tid, r.second, CASE WHEN {jobs/parts/paid_in_time} THEN r.paid_until END AS paid_until
  FROM {schema}.muster_queues q
  CROSS JOIN LATERAL (SELECT (SELECT count(*) FROM picked) * q.rate_interval / q.rate_per AS time) cost
  LEFT JOIN LATERAL {jobs/parts/rate_used} r ON true
  WHERE q.name = current_setting('muster.locked_queue') AND q.rate_per IS NOT NULL AND cost.time > interval '0'),
paid AS (
  UPDATE {schema}.muster_queue_rates u
  SET paid_until = greatest(rate.paid_until, {schema}.muster_statement_clock()) + rate.cost,
      second = greatest(rate.second, date_trunc('second', {schema}.muster_statement_clock()))
  FROM rate
  WHERE u.ctid = ANY (ARRAY (SELECT tid FROM rate))),
first_paid AS (
  INSERT INTO {schema}.muster_queue_rates (queue, second, paid_until)
  SELECT name, date_trunc('second', {schema}.muster_statement_clock()), {schema}.muster_statement_clock() + cost
  FROM rate
  WHERE tid IS NULL),
noted AS (
  INSERT INTO {schema}.muster_claims (node_id, number, lease_until, ids, queue)
  SELECT ?, nextval('{schema}.muster_job_token_seq'), {schema}.muster_clock() + ? * interval '1 millisecond', array_agg(id),
         current_setting('muster.locked_queue')
  FROM picked
  HAVING count(*) > 0
  RETURNING node_id, number, lease_until, ?::integer AS max_content)
{jobs/parts/claim_picked}
