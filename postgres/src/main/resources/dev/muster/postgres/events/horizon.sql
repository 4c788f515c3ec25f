-- A moment, and the transactions that were open after it and may have ended a job before it: those of this database that have a number. The
-- moment is that of the transaction's begin, which lies before everything that this statement reads. A snapshot would not do: it does not
-- tell of an open transaction if none with a higher number is over. Everybody may see the numbers. A standby does not know the transactions
-- of its primary, and knows of nothing that was committed after what it has replayed. Reads no table.
SELECT least({schema}.muster_statement_clock() - (pg_catalog.statement_timestamp() - pg_catalog.transaction_timestamp()),
             CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_xact_replay_timestamp(), pg_catalog.transaction_timestamp() - interval '1 minute') END)
         AS at,
       CASE WHEN NOT pg_is_in_recovery() THEN
         ARRAY (SELECT a.backend_xid::text::bigint FROM pg_stat_activity a
                WHERE a.backend_xid IS NOT NULL AND a.datname = current_database() AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
                UNION ALL
                SELECT x.transaction::text::bigint FROM pg_prepared_xacts x WHERE x.database = current_database()) END AS open
