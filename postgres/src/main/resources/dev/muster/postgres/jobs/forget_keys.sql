-- Forgets up to 1,000 keys whose job ended longer ago than the retention, or is gone from history.
DELETE FROM {schema}.muster_job_keys k
WHERE (k.name, k.key) IN (
  SELECT o.name, o.key FROM {schema}.muster_job_keys o
  WHERE o.created_at < {schema}.muster_statement_clock() - ? * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = ANY (ARRAY[o.job_id]))
    AND NOT EXISTS (SELECT FROM {schema}.muster_job_history h
                    WHERE h.id = ANY (ARRAY[o.job_id]) AND h.finished_at > {schema}.muster_statement_clock() - ? * interval '1 millisecond')
  LIMIT 1000)
