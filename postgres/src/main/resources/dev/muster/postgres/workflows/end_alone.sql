-- Ends runs that have neither a parent nor a successor, and their drivers, under the drivers' tokens. Runs that somebody else has locked are
-- left for later, because plain jobs are written in the same transaction.
WITH o AS MATERIALIZED (
  SELECT o.*, r.finished_at IS NULL AS live
  FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
    AS o (run, claim_token, outcome, answer, failure, failed_steps, reason)
  JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[o.run])
  FOR NO KEY UPDATE OF r SKIP LOCKED),
ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING o
  WHERE j.id = ANY (ARRAY[o.run]) AND j.token = o.claim_token
  RETURNING j.*, o.claim_token, o.outcome, o.answer, o.failure, o.failed_steps, o.reason, o.live),
{workflows/parts/ended_into_history},
run AS (
  UPDATE {schema}.muster_workflow_runs r
  SET status = e.outcome, result = e.answer::jsonb, error = e.failure, failed_steps = string_to_array(e.failed_steps, ' '),
      resolution_reason = coalesce(e.reason, r.resolution_reason),
      awaiting = NULL, wake_at = NULL, changed_at = {schema}.muster_clock(), finished_at = {schema}.muster_clock()
  FROM ended e WHERE r.id = ANY (ARRAY[e.id]) AND e.live)
SELECT id, claim_token FROM ended
