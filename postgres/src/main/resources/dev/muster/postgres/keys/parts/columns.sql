-- What is read of a key; other files say of which. Never its hash.
SELECT id, name, scopes, roles, names, tenant, created_at, expires_at, revoked_at, last_used_at, replaced_by,
       CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= {schema}.muster_clock() THEN 'expired' ELSE 'live' END AS status
FROM {schema}.muster_api_keys
