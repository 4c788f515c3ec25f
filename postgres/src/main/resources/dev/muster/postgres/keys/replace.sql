-- Lets a locked key expire after the overlap, unless it does so earlier, and names its successor. By the primary key.
UPDATE {schema}.muster_api_keys
SET replaced_by = ?, expires_at = least(expires_at, {schema}.muster_clock() + ? * interval '1 millisecond')
WHERE id = ? AND revoked_at IS NULL AND replaced_by IS NULL
