-- The time for jobs that a COPY adds in the caller's transaction. The transaction draws its number first, for the reason given in
-- jobs/take_number.sql.
SELECT pg_current_xact_id(), {schema}.muster_clock()
