-- See the function: it locks the run's row before it writes the event.
SELECT * FROM {schema}.muster_signal_run(?, ?, ?, ?::jsonb)
