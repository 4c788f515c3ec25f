-- Writes that keys were used now, unless somebody has written that within the last minute. It leaves out rows that are locked: another
-- node is writing the same, or the key is being changed. By the primary key.
UPDATE {schema}.muster_api_keys SET last_used_at = {schema}.muster_clock()
WHERE id = ANY (ARRAY (
  SELECT k.id FROM {schema}.muster_api_keys k
  WHERE k.id = ANY (?) AND (k.last_used_at IS NULL OR k.last_used_at <= {schema}.muster_statement_clock() - interval '1 minute')
  FOR NO KEY UPDATE SKIP LOCKED))
