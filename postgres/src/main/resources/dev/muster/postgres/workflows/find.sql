-- One run.
SELECT {workflows/parts/columns} WHERE r.id = ?
