-- Moves crons on to their next ticks.
UPDATE {schema}.muster_crons c SET
  next_tick = n.next_tick, last_tick = coalesce(n.last_tick, c.last_tick), last_job = coalesce(n.last_job, c.last_job),
  problem = NULL, retry_at = NULL
FROM unnest(?::text[], ?::timestamptz[], ?::timestamptz[], ?::uuid[]) AS n (name, next_tick, last_tick, last_job)
WHERE c.name = ANY (ARRAY[n.name])
