-- Stores the successor of a locked key, unless another key has its id: the same in all but its text, with the lifetime of the old one.
INSERT INTO {schema}.muster_api_keys (id, hash, name, scopes, roles, names, tenant, created_at, expires_at)
SELECT ?, ?, k.name, k.scopes, k.roles, k.names, k.tenant, t.now, t.now + (k.expires_at - k.created_at)
FROM {schema}.muster_api_keys k, (SELECT {schema}.muster_clock() AS now) t
WHERE k.id = ? AND k.revoked_at IS NULL AND k.replaced_by IS NULL
ON CONFLICT (id) DO NOTHING
