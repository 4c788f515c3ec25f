-- Whether the jobs of queue q that were claimed before it had a limit are to be noted now: the transactions that may have claimed such jobs
-- have ended, and it is time, or the clock was set back. After 40 s no such claim is left, only transactions of others that stay open. This
-- is about real transactions, so it has nothing to do with a clock that tests move.
(q.count_again_at IS NOT NULL
 AND (q.count_again_after IS NULL OR pg_snapshot_xmin(pg_current_snapshot())::text::bigint > q.count_again_after
      OR pg_catalog.statement_timestamp() >= q.count_again_at + interval '40 s')
 AND (pg_catalog.statement_timestamp() >= q.count_again_at OR pg_catalog.statement_timestamp() < q.count_again_at - interval '1 minute'))
