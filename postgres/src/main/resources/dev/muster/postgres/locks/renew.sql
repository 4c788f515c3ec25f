-- Extends a lock that its owner still has. By the primary key.
UPDATE {schema}.muster_locks SET expires_at = {schema}.muster_clock() + ? * interval '1 millisecond'
WHERE lock_name = ? AND token = ? AND expires_at > {schema}.muster_clock()
