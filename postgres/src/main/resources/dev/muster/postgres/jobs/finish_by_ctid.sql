-- Like finish.sql, for rows whose ctid is known from their claim: PostgreSQL goes to the row by it instead of searching the
-- primary key, where it would also find the row's dead predecessor (15 % of the statement, measured). The ctid is a hint, the id
-- and the token are the guard; rows that are no longer where it says are left to finish.sql.
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING (SELECT unnest(?::tid[]), unnest(?::uuid[]), unnest(?::bigint[]), unnest(?::text[]), unnest(?::text[]),
                unnest(?::text[]), unnest(?::bigint[]))
    AS o (tid, job, claim_token, outcome, answer, failure, ran_ms)
  WHERE j.ctid = o.tid AND j.id IS NOT DISTINCT FROM o.job AND j.token = o.claim_token
  {jobs/parts/finished_into_history}
