-- Like finish.sql, for rows whose place (ctid) is known from their claim: PostgreSQL visits the place instead of searching the
-- primary key, where it would also find the row's dead predecessor (15 % of the statement, measured). The place is a hint, the id
-- and the token are the guard; rows that are no longer at their place are left to finish.sql.
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING (SELECT unnest(?::tid[]), unnest(?::uuid[]), unnest(?::bigint[]), unnest(?::text[]), unnest(?::text[]),
                unnest(?::text[]), unnest(?::bigint[]))
    AS o (place, job, claim_token, outcome, answer, failure, ran_ms)
  WHERE j.ctid = o.place AND j.id IS NOT DISTINCT FROM o.job AND j.token = o.claim_token
  {jobs/parts/finished_into_history}
