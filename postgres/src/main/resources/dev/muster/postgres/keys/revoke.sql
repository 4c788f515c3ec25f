-- Ends a live key. By the primary key.
UPDATE {schema}.muster_api_keys SET revoked_at = {schema}.muster_clock()
WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > {schema}.muster_clock())
