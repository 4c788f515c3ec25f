-- Gives a lock up. The row stays, expired: see locks/acquire.sql. By the primary key.
UPDATE {schema}.muster_locks SET expires_at = {schema}.muster_clock()
WHERE lock_name = ? AND token = ? AND expires_at > {schema}.muster_clock()
