-- Takes idempotency keys, or finds who holds them. The update changes nothing: it makes the holder's row, also one
-- committed after this statement's snapshot, come back. Keys are sorted, so that two batches never deadlock.
WITH wanted AS MATERIALIZED (
  SELECT w.name, w.key, w.job_id, sha256(convert_to(w.args::jsonb::text, 'UTF8')) AS args_hash
  FROM unnest(?::text[], ?::text[], ?::uuid[], ?::text[]) AS w (name, key, job_id, args)),
held AS (
  INSERT INTO {schema}.muster_job_keys AS k (name, key, job_id, args_hash, created_at)
  SELECT name, key, job_id, args_hash, {schema}.muster_clock() FROM wanted
  ON CONFLICT (name, key) DO UPDATE SET job_id = k.job_id
  RETURNING k.name, k.key, k.job_id, k.args_hash)
SELECT wanted.name, wanted.key, held.job_id, held.args_hash = wanted.args_hash AS same_args
FROM wanted JOIN held ON held.name = wanted.name AND held.key = wanted.key
