-- See the function in R__functions_workflows.sql: it locks the run's row before it looks for an event.
SELECT a.held, a.step_status, {schema}.muster_text(a.step_result) AS step_result, a.step_due, a.cancelled,
       EXISTS (SELECT FROM {schema}.muster_workflow_runs r JOIN {schema}.muster_workflow_pauses p ON p.name = r.workflow_name
                    WHERE r.id = ?) AS paused
FROM {schema}.muster_await_event(?, ?, ?, ?, ?, ?, ?, ?) a
