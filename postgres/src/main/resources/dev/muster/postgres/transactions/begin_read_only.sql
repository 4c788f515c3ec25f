-- Begins a transaction for user code that only reads: it refuses writes. All of it holds for this transaction only, so it works on any pool
-- and behind poolers.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY; {limit}
