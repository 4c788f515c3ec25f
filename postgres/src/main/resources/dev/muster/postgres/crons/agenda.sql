-- The crons that are due or have no next tick yet, the longest due first, and how long until another one is.
SELECT ARRAY (SELECT c.name FROM {schema}.muster_crons c
              WHERE c.paused_at IS NULL AND (c.next_tick IS NULL OR c.next_tick <= t.now)
              ORDER BY c.next_tick NULLS FIRST, c.name LIMIT ?) AS due,
       (SELECT ceil(date_part('epoch', min(c.next_tick) - t.now) * 1000)::bigint FROM {schema}.muster_crons c
        WHERE c.paused_at IS NULL AND c.next_tick > t.now) AS next_ms
FROM (SELECT {schema}.muster_statement_clock() AS now) t
