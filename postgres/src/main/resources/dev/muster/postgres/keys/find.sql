-- One key, for people. By the primary key.
{keys/parts/columns} WHERE id = ?
