-- jobs/find.sql, after the statements that begin a transaction which reads along indexes: one round trip for all of them.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY;
{transactions/reader};
{transactions/reading};
{jobs/find}
