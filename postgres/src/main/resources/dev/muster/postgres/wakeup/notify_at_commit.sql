-- Tells every node that listens, when the transaction commits.
SELECT pg_notify(?, ?)
