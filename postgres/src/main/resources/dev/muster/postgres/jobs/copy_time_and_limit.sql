-- The same in a transaction of Muster's own; the COPY may take as long as it takes to send the jobs.
{jobs/copy_time}, set_config('statement_timeout', '5min', true)
