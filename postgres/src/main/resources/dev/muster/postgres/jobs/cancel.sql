-- The common end of cancel_some.sql and cancel_unclaimed.sql: enters the jobs in "ended", which nobody held, as cancelled.
{jobs/forget_dependencies}
{jobs/into_history}
SELECT {kept}, NULL, {schema}.muster_clock(), NULL, crashes, 'cancelled', NULL, error, NULL
FROM ended
