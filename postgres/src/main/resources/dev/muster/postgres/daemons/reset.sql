-- Lets a daemon that ended too often start again. Along the primary key (name, slot).
UPDATE {schema}.muster_daemons SET status = 'free', restarts = 0, free_since = {schema}.muster_clock()
WHERE name = ? AND status = 'failed'
