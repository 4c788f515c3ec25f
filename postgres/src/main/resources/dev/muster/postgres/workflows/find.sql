-- One run.
{workflows/parts/found}
FROM (SELECT {workflows/parts/columns} WHERE r.id = ?) l
