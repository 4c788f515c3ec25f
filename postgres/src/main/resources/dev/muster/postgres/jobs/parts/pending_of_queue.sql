-- A part of counts_live.sql: pending jobs, of one queue if the filter names it, along index muster_jobs_ready.
SELECT true AS hit FROM {schema}.muster_jobs WHERE ready_at < 'infinity' AND status = 'pending' AND ({filter}) LIMIT ?
