-- See the function in R__functions_workflows.sql: runs that still exist take their steps along.
SELECT {schema}.muster_drop_steps_day(? * interval '1 millisecond', ?)
