-- See the function: runs that still exist take their steps along.
SELECT {schema}.muster_drop_steps_day(? * interval '1 millisecond', ?)
