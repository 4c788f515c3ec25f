-- The limits of limits.sql for a whole session of Muster's own pool. Commits are pinned to what they wait for now, or
-- a configuration that is read again could tell them not to wait for the disk.
SELECT set_config('statement_timeout', '30s', false), set_config('lock_timeout', '10s', false),
       set_config('synchronous_commit',
                  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
                  false)
