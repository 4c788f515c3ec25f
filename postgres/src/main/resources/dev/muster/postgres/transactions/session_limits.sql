-- The limits of limits.sql for a whole session of Muster's own pool. synchronous_commit is pinned to its current level, because a
-- reload of the configuration could otherwise switch it off.
SELECT set_config('statement_timeout', '30s', false), set_config('lock_timeout', '10s', false),
       set_config('synchronous_commit',
                  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
                  false)
