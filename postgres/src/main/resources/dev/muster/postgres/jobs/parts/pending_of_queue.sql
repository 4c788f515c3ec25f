-- A part of counts_live.sql: which of the pending ones, of one queue if the filter names it, are jobs, along index muster_jobs_ready. Drivers
-- of runs are read too, so that the number of rows is bounded however many runs sleep.
SELECT {no_driver} AS hit FROM {schema}.muster_jobs WHERE ready_at < 'infinity' AND status = 'pending' AND ({filter}) LIMIT ?
