-- Where the next window begins: after the last run that was changed if they were as many as may be, else after this window; null after the
-- last.
coalesce((SELECT t.id FROM target t ORDER BY t.id OFFSET 499 LIMIT 1), (SELECT p.id FROM part p ORDER BY p.id OFFSET 1999 LIMIT 1))
