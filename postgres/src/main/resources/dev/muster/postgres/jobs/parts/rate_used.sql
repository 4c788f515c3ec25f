-- How far the rate of queue q is used up. There is one row; the index leads to its latest key, past no version of earlier seconds.
(SELECT used.paid_until, used.second, used.ctid AS tid
 FROM {schema}.muster_queue_rates used
 WHERE used.queue = q.name
 ORDER BY used.second DESC LIMIT 1)
