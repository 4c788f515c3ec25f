-- See the function: it locks the run's row before it looks for an event.
SELECT * FROM {schema}.muster_await_event(?, ?, ?, ?, ?, ?, ?, ?)
