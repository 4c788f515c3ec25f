-- Begins the transaction of a query: it refuses writes, and none of its statements takes longer than the call may. All of it holds for this
-- transaction only, so it works on any pool and behind poolers.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY; SET LOCAL statement_timeout = {timeout}
