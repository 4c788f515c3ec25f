-- Tells every node that listens, in a transaction of its own. Nothing is lost with it, so its commit does not wait for the disk.
SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '10s', true), pg_notify(?, ?)
