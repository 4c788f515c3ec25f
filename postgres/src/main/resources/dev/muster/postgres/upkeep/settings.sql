-- The planner settings of jobs/preamble.sql are for looking up a few rows; figures read many at once.
SELECT set_config('enable_bitmapscan', 'on', true), set_config('enable_seqscan', 'on', true),
       set_config('enable_hashjoin', 'on', true), set_config('enable_sort', 'on', true),
       set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '16MB', true)
