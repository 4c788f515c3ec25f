-- Claims jobs from one limited queue, like claim.sql, and no more than the room that queue_room.sql has found. The note bears the queue:
-- it is what the next claimer counts. For a queue with a rate, what the claimed jobs cost is added.
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
paid AS (
  INSERT INTO {schema}.muster_queue_rates AS r (queue, paid_until)
  SELECT q.name, {schema}.muster_statement_clock() + cost.time
  FROM {schema}.muster_queues q
  CROSS JOIN LATERAL (SELECT (SELECT count(*) FROM picked) * q.rate_interval / q.rate_per AS time) cost
  WHERE q.name = current_setting('muster.locked_queue') AND q.rate_per IS NOT NULL AND cost.time > interval '0'
  ON CONFLICT (queue) DO UPDATE
  SET paid_until = greatest(
        (SELECT r.paid_until FROM {schema}.muster_queues q WHERE q.name = r.queue AND {jobs/parts/paid_in_time}),
        {schema}.muster_statement_clock()) + (excluded.paid_until - {schema}.muster_statement_clock())),
noted AS (
  INSERT INTO {schema}.muster_claims (node_id, batch, lease_until, ids, queue)
  SELECT ?, nextval('{schema}.muster_job_token_seq'), {schema}.muster_clock() + ? * interval '1 millisecond', array_agg(id),
         current_setting('muster.locked_queue')
  FROM picked
  HAVING count(*) > 0
  RETURNING node_id, batch, lease_until, ?::integer AS max_content)
{jobs/parts/claim_picked}
