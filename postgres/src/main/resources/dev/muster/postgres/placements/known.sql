-- Which of these placements are in use, and whether that was written more than an hour ago.
SELECT p.queue, p.expression, p.used_at < {schema}.muster_clock() - interval '1 hour' AS old
FROM unnest(?::text[], ?::text[]) AS n (queue, expression)
JOIN {schema}.muster_placements p ON p.queue = n.queue AND p.expression = n.expression
