-- For one statement of this transaction that is known to take longer than others may.
SELECT set_config('statement_timeout', '5min', true)
