-- Begins a transaction for user code that may write. As in transactions/limits.sql, what it acknowledges is on disk. All of it holds for
-- this transaction only, so it works on any pool and behind poolers.
SET TRANSACTION ISOLATION LEVEL {isolation}, READ WRITE; {limit}
SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
