-- Limits for this transaction only, so that they hold on any pool. A client that waits gets an error before its socket times out
-- (40 s), and the server does not continue with a statement nobody waits for. Where synchronous_commit is off, it is switched on: an
-- acknowledged job must survive a crash of the server. Other levels (local, remote_apply) stay.
SELECT set_config('statement_timeout', '30s', true), set_config('lock_timeout', '10s', true),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
