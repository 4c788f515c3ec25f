-- The crons that are due or have no next tick yet, those due for longest first, without the given ones; and the time until the
-- next cron is due, or until one that could not be fired is tried again.
SELECT ARRAY (SELECT c.name FROM {schema}.muster_crons c
              WHERE c.paused_at IS NULL AND c.gone_at IS NULL AND (c.next_tick IS NULL OR c.next_tick <= t.now)
                AND (c.retry_at IS NULL OR c.retry_at <= t.now)
                AND c.name <> ALL (?::text[])
              ORDER BY c.next_tick NULLS FIRST, c.name LIMIT ?) AS due,
       ceil(date_part('epoch', least(
         (SELECT min(c.next_tick) FROM {schema}.muster_crons c
          WHERE c.paused_at IS NULL AND c.gone_at IS NULL AND c.next_tick > t.now),
         (SELECT min(c.retry_at) FROM {schema}.muster_crons c
          WHERE c.paused_at IS NULL AND c.gone_at IS NULL AND (c.next_tick IS NULL OR c.next_tick <= t.now)
            AND c.retry_at > t.now)) - t.now) * 1000)::bigint AS next_ms
FROM (SELECT {schema}.muster_statement_clock() AS now) t
