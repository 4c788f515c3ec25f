-- How many milliseconds the server of this connection lags behind its primary: 0 on a primary, and on a standby that receives and has
-- replayed all it received. Otherwise the age of the last commit that was replayed, which is the most it can be; null if there was none
-- since the standby started. A standby that has lost its primary has replayed everything too: it has no receiver, once it has noticed
-- (wal_receiver_timeout).
SELECT CASE WHEN NOT pg_is_in_recovery() THEN 0
            WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
            ELSE greatest(0, (date_part('epoch', clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint) END AS lag_ms
