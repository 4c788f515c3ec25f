-- For statements of this transaction that are divided and repeated if they take too long.
SELECT set_config('statement_timeout', '2s', true)
