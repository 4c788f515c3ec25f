-- For statements that people wait for: like those of jobs/preamble.sql they use indexes, whatever the statistics say. jit is off
-- because plans that avoid disabled methods look expensive, and PostgreSQL would compile them first, for seconds.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
       set_config('jit', 'off', true)
