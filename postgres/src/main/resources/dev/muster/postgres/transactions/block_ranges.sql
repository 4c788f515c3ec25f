-- For statements that read a stretch of history along its block range index, whatever the statistics of a new day say.
SELECT set_config('enable_seqscan', 'off', true)
