-- A live key with its hash, and for how long it is valid, in microseconds; for verifying what a caller has sent. By the primary key.
SELECT k.id, k.hash, k.name, k.scopes, k.roles, k.names, k.tenant, (extract(epoch FROM k.expires_at - t.now) * 1000000)::bigint AS left_us
FROM {schema}.muster_api_keys k, (SELECT {schema}.muster_statement_clock() AS now) t
WHERE k.id = ? AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > t.now)
