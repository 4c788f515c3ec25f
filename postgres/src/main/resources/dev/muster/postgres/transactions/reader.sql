-- Begins a transaction in which people read, on the primary or on a standby: so it neither writes nor asks for the position in the
-- write-ahead log. The parameter limits each statement. It also ends before the socket times out (40 s).
SELECT set_config('statement_timeout', ?, true), set_config('lock_timeout', '10s', true), set_config('jit', 'off', true)
