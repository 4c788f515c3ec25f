-- The timeline of fences; raises it first where the tables were found on another server. Null on a standby.
SELECT {schema}.muster_timeline()
