-- Removes the rows of some groups in which no job has been admitted for a day and which have no job, and what is left of their rates. They are
-- locked first, by admission/lock_unused.sql. A group whose rate does not let the next job begin yet is kept: its jobs may have begun long after
-- their admission.
WITH forgotten AS (
  DELETE FROM {schema}.muster_concurrency_groups l
  WHERE l.concurrency_group = ANY (?::text[]) AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.concurrency_group = l.concurrency_group OFFSET 0)
    AND NOT EXISTS (SELECT FROM {schema}.muster_concurrency_begins b WHERE b.concurrency_group = l.concurrency_group AND b.next_begin > {schema}.muster_clock() OFFSET 0)
  RETURNING l.concurrency_group),
begins AS (
  DELETE FROM {schema}.muster_concurrency_begins b USING forgotten f WHERE b.concurrency_group = ANY (ARRAY[f.concurrency_group]))
DELETE FROM {schema}.muster_concurrency_tokens t USING forgotten f WHERE t.concurrency_group = ANY (ARRAY[f.concurrency_group])
