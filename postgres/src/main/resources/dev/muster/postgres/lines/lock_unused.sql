-- Locks the rows of some lines in which no job has been admitted for a day, unless somebody admits right now.
SELECT l.line FROM {schema}.muster_lines l
WHERE l.line > ? AND l.used_at < {schema}.muster_clock() - interval '1 day'
ORDER BY l.line LIMIT ?
FOR UPDATE SKIP LOCKED
