-- Removes keys that ended long ago. Reads the table, which is as small as the number of keys.
DELETE FROM {schema}.muster_api_keys WHERE id = ANY (ARRAY (
  SELECT k.id FROM {schema}.muster_api_keys k
  WHERE least(k.revoked_at, k.expires_at) < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
  ORDER BY k.id LIMIT {limit}))
