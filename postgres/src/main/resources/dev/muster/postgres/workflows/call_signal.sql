-- See the function in R__functions_workflows.sql: it locks the run's row before it writes the event.
SELECT * FROM {schema}.muster_signal_run(?, ?, ?, ?::jsonb)
