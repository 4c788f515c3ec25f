-- One cron. By the primary key.
{crons/parts/columns} WHERE name = ?
