-- Stores a new key, unless another one has its id.
INSERT INTO {schema}.muster_api_keys (id, hash, name, scopes, roles, names, tenant, created_at, expires_at)
SELECT ?, ?, ?, ?, ?, ?, ?, t.now, t.now + ? * interval '1 millisecond'
FROM (SELECT {schema}.muster_clock() AS now) t
ON CONFLICT (id) DO NOTHING
