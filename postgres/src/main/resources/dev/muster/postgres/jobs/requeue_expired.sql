-- Takes back jobs whose lease ran out, from notes in muster_claims that are locked. What is left of a note is kept until its next lease
-- runs out; a note without jobs is deleted. A job that another transaction has locked is tried again after a second. NOT IN is looked
-- up in a hash table; comparing thousands of jobs with thousands would take half a minute (measured).
WITH limits AS MATERIALIZED (
  SELECT least({schema}.muster_statement_clock(), timestamptz 'epoch' + ?::bigint * interval '1 microsecond') AS ended_before),
claim AS MATERIALIZED (
  SELECT c.node_id, c.number, c.ids
  FROM unnest(?::text[], ?::bigint[]) AS o (node_id, number)
  JOIN {schema}.muster_claims c ON c.node_id = ANY (ARRAY[o.node_id]) AND c.number = ANY (ARRAY[o.number])),
held AS MATERIALIZED (
  SELECT claim.node_id, claim.number, j.id, j.token, j.lease_until
  FROM claim
  CROSS JOIN LATERAL unnest(claim.ids) AS named (id)
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[named.id]) AND j.node_id = claim.node_id AND j.token IS NOT NULL),
late AS MATERIALIZED (
  SELECT DISTINCT id, token FROM held WHERE lease_until < (SELECT ended_before FROM limits) ORDER BY id),
dead AS MATERIALIZED (
  SELECT j.id, j.node_id, j.lease_until, j.status = 'running' AS crash, true AS blamed, false AS guilty,
         j.cancel_requested, j.crashes, j.max_crashes, j.max_attempts
  FROM late
  JOIN {schema}.muster_jobs j ON j.id = ANY (ARRAY[late.id]) AND j.token = late.token
    AND j.lease_until < (SELECT ended_before FROM limits)
  FOR UPDATE OF j SKIP LOCKED),
kept AS MATERIALIZED (
  SELECT node_id, number, array_agg(id) AS ids,
         greatest(min(lease_until), {schema}.muster_statement_clock() + interval '1 second') AS lease_until
  FROM held
  WHERE id NOT IN (SELECT id FROM dead)
  GROUP BY node_id, number),
postponed AS (
  UPDATE {schema}.muster_claims c
  SET lease_until = kept.lease_until, ids = kept.ids
  FROM kept
  WHERE c.node_id = ANY (ARRAY[kept.node_id]) AND c.number = ANY (ARRAY[kept.number])),
settled AS (
  DELETE FROM {schema}.muster_claims c
  USING claim
  WHERE c.node_id = ANY (ARRAY[claim.node_id]) AND c.number = ANY (ARRAY[claim.number])
    AND NOT EXISTS (SELECT FROM kept WHERE kept.node_id = claim.node_id AND kept.number = claim.number OFFSET 0)),
{jobs/parts/requeue_lost}
