-- Like finish.sql, for rows whose place is known from their claim: a visit to the place instead of a search along
-- the primary key, which finds the row's dead predecessor as well (15 % of the statement, measured). The place is
-- a hint, the id and the token are the guard; what is not there any more is left to finish.sql.
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING (SELECT unnest(?::tid[]), unnest(?::uuid[]), unnest(?::bigint[]), unnest(?::text[]), unnest(?::text[]),
                unnest(?::text[]), unnest(?::bigint[]))
    AS o (place, job, fence, outcome, answer, failure, ran_ms)
  WHERE j.ctid = o.place AND j.id IS NOT DISTINCT FROM o.job AND j.token = o.fence
  {jobs/ended}
