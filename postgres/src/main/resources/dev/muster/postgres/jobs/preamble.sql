-- Settings for this transaction only, so that they hold on any pool. The planner is kept to nested loops along indexes: table
-- statistics of a queue are always wrong, and one sequential scan is an outage. One generic plan per connection instead of a new plan
-- per call.
-- A node that freezes inside a transaction keeps its row locks, and the sweep skips locked rows: so the server ends the session after
-- 5 s of silence between two statements, and other nodes can take over its jobs.
-- Statements that look up rows by id use id = ANY (ARRAY[x.id]), which an index can serve but no merge join can. With a plain equality
-- the planner also considers walking the whole primary key in order, and does so when it believes the table to be nearly empty (seen:
-- 20,000 rows walked for each of 1,000 outcomes). OFFSET 0 keeps an EXISTS from becoming a join, for the same reason.
-- Where synchronous_commit is off, it is switched on: outcomes, and the start of a job that may run only once, must survive a crash of
-- the server. Other levels (local, remote_apply) stay.
SELECT set_config('statement_timeout', '30s', true), set_config('lock_timeout', '1s', true),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END,
       set_config('idle_in_transaction_session_timeout', '5s', true),
       set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('enable_sort', 'off', true),
       (date_part('epoch', {schema}.muster_statement_clock()) * 1e6)::bigint AS clock_micros,
       steered.paused, steered.limited,
       substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS server_timeline,
       s.timeline, s.wal_timeline, s.table_oid = s.tableoid AS same_table
FROM {schema}.muster_server s
CROSS JOIN (
  SELECT array_agg(name) FILTER (WHERE paused_at IS NOT NULL) AS paused, array_agg(name) FILTER (WHERE paused_at IS NULL) AS limited
  FROM {schema}.muster_queues WHERE paused_at IS NOT NULL OR limited) steered
