-- Marks a graph as cancelled as a whole; its row is locked by this transaction.
UPDATE {schema}.muster_graphs SET cancel_requested = true, reason = ? WHERE id = ?
