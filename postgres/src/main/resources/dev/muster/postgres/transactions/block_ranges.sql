-- For statements that read a stretch of history along its block range index, whatever the statistics of a new day say.
-- jit is off because plans that avoid disabled methods look expensive, and PostgreSQL would compile them first.
SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
