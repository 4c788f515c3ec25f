-- The planner settings of jobs/preamble.sql suit statements that look up a few rows; upkeep reads many at once. Sequential scans stay
-- off for metrics: with missing or old statistics a whole day would be read for each minute.
SELECT set_config('enable_seqscan', ?, true), set_config('enable_bitmapscan', 'on', true),
       set_config('enable_hashjoin', 'on', true), set_config('enable_sort', 'on', true),
       set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '16MB', true),
       set_config('statement_timeout', ?, true)
