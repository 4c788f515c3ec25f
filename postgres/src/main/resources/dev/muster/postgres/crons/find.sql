-- One cron. By the primary key.
{crons/columns} WHERE name = ?
