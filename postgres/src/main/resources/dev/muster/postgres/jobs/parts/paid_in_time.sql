-- Whether the row r says how far the rate of queue q is used up: it is at most a burst ahead of the clock, unless the clock was set back.
r.paid_until <= {schema}.muster_statement_clock() + q.burst * q.rate_interval / q.rate_per + interval '1 second'
