-- Writes the limits that this node's handlers declare, where they differ from what is there, and removes those of handlers without one.
WITH removed AS (
  DELETE FROM {schema}.muster_concurrency_limits l WHERE l.name = ANY (?::text[])),
written AS (
  INSERT INTO {schema}.muster_concurrency_limits AS l (name, max_concurrent, rate, rate_ms, burst, key_path, ordered, changed_at)
  SELECT d.*, {schema}.muster_clock()
  FROM unnest(?::text[], ?::integer[], ?::integer[], ?::bigint[], ?::integer[], ?::text[], ?::bool[])
    AS d (name, max_concurrent, rate, rate_ms, burst, key_path, ordered)
  ORDER BY d.name
  ON CONFLICT (name) DO UPDATE
  SET max_concurrent = excluded.max_concurrent, rate = excluded.rate, rate_ms = excluded.rate_ms, burst = excluded.burst, key_path = excluded.key_path,
      ordered = excluded.ordered, changed_at = excluded.changed_at
  WHERE (l.max_concurrent, l.rate, l.rate_ms, l.burst, l.key_path, l.ordered)
        IS DISTINCT FROM (excluded.max_concurrent, excluded.rate, excluded.rate_ms, excluded.burst, excluded.key_path, excluded.ordered)
  RETURNING l.name)
SELECT name FROM written
