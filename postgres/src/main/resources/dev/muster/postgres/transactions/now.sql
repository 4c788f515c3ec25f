-- What the database's clock shows.
SELECT {schema}.muster_clock() AS now
