-- Sets or removes the limit of a queue, and returns the number of this transaction. By the primary key. A rate begins unused, unless it
-- is the rate that the queue has already.
WITH new AS MATERIALIZED (
  SELECT ?::text AS name, ?::integer AS max_running, ?::integer AS rate_per, ?::bigint * interval '1 millisecond' AS rate_interval,
         ?::integer AS burst),
unused AS (
  DELETE FROM {schema}.muster_queue_rates r USING new
  WHERE r.queue = ANY (ARRAY[new.name]) AND NOT EXISTS (
    SELECT FROM {schema}.muster_queues q
    WHERE q.name = new.name AND (q.rate_per, q.rate_interval, q.burst) = (new.rate_per, new.rate_interval, new.burst) OFFSET 0))
INSERT INTO {schema}.muster_queues (name, max_running, rate_per, rate_interval, burst)
SELECT name, max_running, rate_per, rate_interval, burst FROM new
ON CONFLICT (name) DO UPDATE
SET max_running = excluded.max_running, rate_per = excluded.rate_per, rate_interval = excluded.rate_interval, burst = excluded.burst
RETURNING pg_current_xact_id()::text
