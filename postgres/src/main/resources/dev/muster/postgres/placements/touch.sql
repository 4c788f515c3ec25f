-- Notes that these placements are still used. A row that another transaction writes is left to it.
UPDATE {schema}.muster_placements p SET used_at = {schema}.muster_clock()
WHERE (p.queue, p.slot) IN (
  SELECT q.queue, q.slot FROM unnest(?::text[], ?::text[]) AS n (queue, expression)
  JOIN {schema}.muster_placements q ON q.queue = n.queue AND q.expression = n.expression
  ORDER BY q.queue, q.slot FOR UPDATE OF q SKIP LOCKED)
