-- A part of counts_live.sql: which of the newest live jobs are pending and match, by their ids.
SELECT status = 'pending' AND ({filter}) AS hit FROM {schema}.muster_jobs ORDER BY id DESC LIMIT ?
