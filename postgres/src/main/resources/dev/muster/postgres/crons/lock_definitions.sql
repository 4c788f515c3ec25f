-- Publishers take turns: each must see what the one before has said when it decides which is the newest.
LOCK TABLE {schema}.muster_cron_definitions IN SHARE ROW EXCLUSIVE MODE
