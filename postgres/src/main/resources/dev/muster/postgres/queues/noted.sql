-- Jobs that were claimed before the queue had a limit have been noted. They are noted once more later: a claim that read the queues before
-- it had a limit, and then searched for long, was not waited for, because a transaction has no number before it writes. Statements end
-- after 30 s. By the primary key.
UPDATE {schema}.muster_queues
SET count_again_at = CASE WHEN count_again_after IS NOT NULL THEN pg_catalog.statement_timestamp() + interval '40 s' END,
    count_again_after = NULL
WHERE name = ?
