-- Locks a key until its rotation is committed. What it looks like is read by the next statement, which sees what was committed while this
-- one waited. By the primary key.
SELECT id FROM {schema}.muster_api_keys WHERE id = ? FOR UPDATE
