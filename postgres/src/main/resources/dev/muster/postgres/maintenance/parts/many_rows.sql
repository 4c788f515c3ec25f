-- The planner settings of jobs/preamble.sql suit statements that look up a few rows; maintenance reads many at once.
set_config('enable_bitmapscan', 'on', true), set_config('enable_hashjoin', 'on', true), set_config('enable_sort', 'on', true),
set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '16MB', true)
