-- The first and the last run of the chain of runs to which a run belongs.
SELECT c.first_of_chain, c.last_of_chain FROM {schema}.muster_chain(?) c WHERE c.last_of_chain IS NOT NULL
