-- The last of the runs that continue a run.
{workflows/parts/found}
FROM (SELECT {workflows/parts/columns} WHERE r.id = (SELECT c.last_of_chain FROM {schema}.muster_chain(?) c)) l
