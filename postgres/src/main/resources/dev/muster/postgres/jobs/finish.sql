-- Ends claims: moves each live row whose token is current to history. Finds rows by primary key only. Returns only the count:
-- naming the ended jobs costs 5 % of the statement and is rarely needed. The outcome of a worker that lost its claim matches no row;
-- OutcomeWriter.findRejected then finds out which, and Pump.close logs and drops it. finish_by_ctid.sql has the same guard, and
-- completeIn uses this statement. The columns of o have names of their own, because RETURNING names those of the table.
WITH ended AS (
  DELETE FROM {schema}.muster_jobs j
  USING (SELECT unnest(?::uuid[]), unnest(?::bigint[]), unnest(?::text[]), unnest(?::text[]), unnest(?::text[]),
                unnest(?::bigint[]))
    AS o (job, claim_token, outcome, answer, failure, ran_ms)
  WHERE j.id = ANY (ARRAY[o.job]) AND j.token = o.claim_token
  {jobs/parts/finished_into_history}
