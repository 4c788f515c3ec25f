-- The timeline of fences as the one row of muster_server has it; changes and locks nothing.
SELECT timeline FROM {schema}.muster_server
