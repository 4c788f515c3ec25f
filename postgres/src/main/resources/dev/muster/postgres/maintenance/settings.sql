-- Settings for the next step of the maintenance. Sequential scans stay off for metrics: with missing or old statistics a whole day would be
-- read for each minute.
SELECT {maintenance/parts/many_rows}, set_config('enable_seqscan', ?, true), set_config('statement_timeout', ?, true)
