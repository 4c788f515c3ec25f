-- See the function: it locks the run's row before it looks for an event.
SELECT a.*, EXISTS (SELECT FROM {schema}.muster_workflow_runs r JOIN {schema}.muster_workflow_pauses p ON p.name = r.workflow_name
                    WHERE r.id = ?) AS paused
FROM {schema}.muster_await_event(?, ?, ?, ?, ?, ?, ?, ?) a
