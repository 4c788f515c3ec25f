-- Keeps other nodes from taking over a driver until the commit; no row if this claim of it is not the current one.
SELECT FROM {schema}.muster_jobs j WHERE j.id = ? AND j.token = ? FOR KEY SHARE
