-- The time by the clock of the server on which people read.
SELECT {schema}.muster_statement_clock() AS now
