-- Whether each statement of this transaction sees what was committed before it.
SELECT current_setting('transaction_isolation') = 'read committed'
