-- Seals a batch and notes that it was cancelled, unless it is closed. Returns a row if there is such a batch.
WITH cancelled AS (
  UPDATE {schema}.muster_batches b
  SET sealed_at = coalesce(b.sealed_at, {schema}.muster_clock()), status = 'sealed', cancel_requested = true
  WHERE b.id = ? AND b.closed_at IS NULL)
SELECT id FROM {schema}.muster_batches WHERE id = ?
