-- Removes the rows of some lines in which no job has been admitted for a day and which have no job, and what is left of their rates. They are
-- locked first, by lines/lock_unused.sql. A line whose rate does not let the next job begin yet is kept: its jobs may have begun long after
-- their admission.
WITH forgotten AS (
  DELETE FROM {schema}.muster_lines l
  WHERE l.line = ANY (?::text[]) AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.line = l.line OFFSET 0)
    AND NOT EXISTS (SELECT FROM {schema}.muster_line_begins b WHERE b.line = l.line AND b.next_begin > {schema}.muster_clock() OFFSET 0)
  RETURNING l.line),
begins AS (
  DELETE FROM {schema}.muster_line_begins b USING forgotten f WHERE b.line = ANY (ARRAY[f.line]))
DELETE FROM {schema}.muster_line_tokens t USING forgotten f WHERE t.line = ANY (ARRAY[f.line])
