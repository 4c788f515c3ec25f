-- Takes idempotency keys, or finds the jobs that hold them. The update changes nothing: it makes the statement return the holder's
-- row, even one committed after this statement's snapshot. Keys are sorted, so that two calls never deadlock. The encrypted args
-- of equal jobs differ, so an encrypted job brings a hash of its args and the id of the encryption key that the hash was made with.
WITH wanted AS MATERIALIZED (
  SELECT w.name, w.key, w.job_id, w.args_kid,
         CASE WHEN w.args_kid IS NULL THEN sha256(convert_to(w.args::jsonb::text, 'UTF8'))
              ELSE decode(w.hash, 'hex') END AS args_hash
  FROM unnest(?::text[], ?::text[], ?::uuid[], ?::text[], ?::text[], ?::text[])
         AS w (name, key, job_id, args, args_kid, hash)),
held AS (
  INSERT INTO {schema}.muster_job_keys AS k (name, key, job_id, args_hash, args_kid, created_at)
  SELECT name, key, job_id, args_hash, args_kid, {schema}.muster_clock() FROM wanted
  ON CONFLICT (name, key) DO UPDATE SET job_id = k.job_id
  RETURNING k.name, k.key, k.job_id, k.args_hash, k.args_kid)
SELECT wanted.name, wanted.key, held.job_id, held.args_kid, encode(held.args_hash, 'hex') AS args_hash,
       held.args_hash = wanted.args_hash AND held.args_kid IS NOT DISTINCT FROM wanted.args_kid AS same_args
FROM wanted JOIN held ON held.name = wanted.name AND held.key = wanted.key
