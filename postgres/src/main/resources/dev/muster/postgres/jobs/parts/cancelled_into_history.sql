-- The common end of cancel_some.sql and cancel_unclaimed.sql: enters the unclaimed jobs in "ended" into history as cancelled.
{jobs/parts/forget_dependencies}
{jobs/parts/into_history}
SELECT {kept}, NULL, {schema}.muster_clock(), NULL, crashes, 'cancelled', NULL, error, NULL
FROM ended
