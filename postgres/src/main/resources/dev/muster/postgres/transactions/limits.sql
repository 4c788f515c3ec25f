-- Limits for this transaction only, so that they hold on any pool: whoever waits is told before its socket gives up
-- (40 s), and the server does not go on with what nobody waits for. Where commits are told not to wait for the disk,
-- this one does: an acknowledged job must survive a crash of the server. Other levels (local, remote_apply) stay.
SELECT set_config('statement_timeout', '30s', true), set_config('lock_timeout', '10s', true),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
