-- Takes a free slot for a placement. The slot is drawn, so that two transactions seldom want the same one, for which the second would
-- have to wait until the first has ended. Returns the number of free slots that it saw; if it took none although there were some,
-- another transaction took the slot, or added the same placement.
WITH free AS MATERIALIZED (
  SELECT s.slot FROM generate_series(1, 200) AS s (slot)
  WHERE NOT EXISTS (SELECT FROM {schema}.muster_placements p WHERE p.queue = ? AND p.slot = s.slot)
  ORDER BY random()),
taken AS (
  INSERT INTO {schema}.muster_placements (queue, slot, expression, used_at)
  SELECT ?, (SELECT slot FROM free LIMIT 1), ?, {schema}.muster_clock() WHERE EXISTS (SELECT FROM free)
  ON CONFLICT DO NOTHING
  RETURNING slot)
SELECT (SELECT count(*) FROM free) AS free, (SELECT count(*) FROM taken) AS taken
