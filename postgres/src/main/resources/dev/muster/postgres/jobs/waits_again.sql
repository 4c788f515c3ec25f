-- Notifies all nodes, at commit, of the first of some jobs that may wait again.
SELECT pg_notify(?, ? || w.id) FROM (SELECT unnest(?::uuid[]) AS id ORDER BY 1 LIMIT 1) w
