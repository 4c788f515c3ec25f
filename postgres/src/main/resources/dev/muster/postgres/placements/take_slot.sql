-- Takes a free slot for a placement. The slot is drawn, so that two transactions seldom want the same one, for which the second would
-- have to wait until the first has ended. Returns the number of free slots that it saw; if it took none although there were some,
-- another transaction took the slot, or added the same placement. The placement of a tenant's job takes one of the upper half, and one of the
-- 20 slots of the tenant, each of which can be taken once.
WITH wanted (queue, expression, tenant) AS (VALUES (?::text, ?::text, ?::text)),
free AS MATERIALIZED (
  SELECT s.slot FROM wanted w
  CROSS JOIN generate_series(CASE WHEN w.tenant IS NULL THEN 1 ELSE 101 END, 200) AS s (slot)
  WHERE NOT EXISTS (SELECT FROM {schema}.muster_placements p WHERE p.queue = w.queue AND p.slot = s.slot)
  ORDER BY random()),
of_tenant AS MATERIALIZED (
  SELECT s.slot FROM wanted w
  CROSS JOIN generate_series(1, 20) AS s (slot)
  WHERE w.tenant IS NOT NULL
    AND NOT EXISTS (SELECT FROM {schema}.muster_placements p WHERE p.queue = w.queue AND p.tenant = w.tenant AND p.tenant_slot = s.slot)
  ORDER BY random()),
taken AS (
  INSERT INTO {schema}.muster_placements (queue, slot, expression, used_at, tenant, tenant_slot)
  SELECT w.queue, (SELECT slot FROM free LIMIT 1), w.expression, {schema}.muster_clock(), w.tenant, (SELECT slot FROM of_tenant LIMIT 1)
  FROM wanted w
  WHERE EXISTS (SELECT FROM free) AND (w.tenant IS NULL OR EXISTS (SELECT FROM of_tenant))
  ON CONFLICT DO NOTHING
  RETURNING slot)
SELECT (SELECT count(*) FROM free) AS free, (SELECT count(*) FROM of_tenant) AS of_tenant, (SELECT count(*) FROM taken) AS taken
