-- The time, and which of these jobs are live. In a statement after the one that locks the crons: it sees all that was committed
-- before the locks were granted. By the primary key of muster_jobs.
SELECT {schema}.muster_clock() AS now, ARRAY (SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = ANY (?)) AS live
