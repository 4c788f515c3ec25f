-- Deletes keys whose job ended longer ago than the retention, on a stretch of the table's pages. The whole table is walked in such
-- stretches: each reads a bounded number of pages in order (Tid Range Scan), whether or not it finds keys to delete, and needs no
-- index. See docs/adr/0032-retention-walks-pages.md.
WITH forgotten AS (
  DELETE FROM {schema}.muster_job_keys k
  WHERE k.ctid >= ?::tid AND k.ctid < ?::tid
    AND k.created_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[k.job_id]) OFFSET 0)
    AND NOT EXISTS (SELECT FROM {schema}.muster_job_history h
                    WHERE h.id = ANY (ARRAY[k.job_id])
                      AND h.finished_at > {schema}.muster_statement_clock() - ? * interval '1 millisecond' OFFSET 0)
  RETURNING 1)
SELECT (SELECT count(*) FROM forgotten) AS forgotten,
       pg_relation_size('{schema}.muster_job_keys') / current_setting('block_size')::int AS pages
