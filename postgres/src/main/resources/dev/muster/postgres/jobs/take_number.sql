-- Gives the transaction its number before it reads the clock, because it may wait before it writes: looks take it that whoever
-- reads the clock writes soon after, unless they see its transaction under way.
SELECT pg_current_xact_id(), current_setting('transaction_isolation')
