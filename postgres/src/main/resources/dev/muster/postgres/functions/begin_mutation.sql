-- Begins the transaction of a mutation. As in transactions/limits.sql, what it acknowledges is on disk.
SET TRANSACTION ISOLATION LEVEL {isolation}, READ WRITE; SET LOCAL statement_timeout = {timeout};
SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
