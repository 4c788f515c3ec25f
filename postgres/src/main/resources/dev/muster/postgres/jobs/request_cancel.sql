-- Asks a claimed or running job to stop; its row is locked by this transaction. By the primary key.
UPDATE {schema}.muster_jobs SET cancel_requested = true WHERE id = ?
