-- Sets or removes the limit of a queue, and says whether the queue had none: then the same transaction notes what runs already, and somebody
-- has to note again, when all transactions before this one have ended, what these have claimed. By the primary key. A rate begins unused,
-- unless it is the rate that the queue has already.
WITH new AS MATERIALIZED (
  SELECT ?::text AS name, ?::integer AS max_running, ?::integer AS rate_per, ?::bigint * interval '1 millisecond' AS rate_interval,
         ?::integer AS burst),
unused AS (
  DELETE FROM {schema}.muster_queue_rates r USING new
  WHERE r.queue = ANY (ARRAY[new.name]) AND NOT EXISTS (
    SELECT FROM {schema}.muster_queues q
    WHERE q.name = new.name AND (q.rate_per, q.rate_interval, q.burst) = (new.rate_per, new.rate_interval, new.burst) OFFSET 0))
INSERT INTO {schema}.muster_queues AS q (name, max_running, rate_per, rate_interval, burst, count_again_after, count_again_at)
SELECT name, max_running, rate_per, rate_interval, burst,
       -- A claim that has written nothing yet has no number. It has one after 100 ms, usually.
       CASE WHEN max_running IS NOT NULL OR rate_per IS NOT NULL THEN pg_current_xact_id()::text::bigint END,
       CASE WHEN max_running IS NOT NULL OR rate_per IS NOT NULL THEN pg_catalog.statement_timestamp() + interval '100 ms' END
FROM new
ON CONFLICT (name) DO UPDATE
SET max_running = excluded.max_running, rate_per = excluded.rate_per, rate_interval = excluded.rate_interval, burst = excluded.burst,
    count_again_after = CASE WHEN q.limited AND excluded.count_again_at IS NOT NULL THEN q.count_again_after
                             ELSE excluded.count_again_after END,
    count_again_at = CASE WHEN q.limited AND excluded.count_again_at IS NOT NULL THEN q.count_again_at ELSE excluded.count_again_at END
RETURNING coalesce(q.count_again_after = pg_current_xact_id()::text::bigint, false)
