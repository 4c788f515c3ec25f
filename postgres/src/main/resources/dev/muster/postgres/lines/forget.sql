-- Removes the rows of some lines in which no job has been admitted for a day and which have no job. They are locked first, by lines/lock_unused.sql.
DELETE FROM {schema}.muster_lines l
WHERE l.line = ANY (?::text[]) AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.line = l.line OFFSET 0)
