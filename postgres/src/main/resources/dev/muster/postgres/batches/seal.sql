-- Seals a batch. Waits for transactions that add jobs. Returns a row if there is such a batch, whatever its status.
WITH sealed AS (
  UPDATE {schema}.muster_batches b SET sealed_at = {schema}.muster_clock(), status = 'sealed' WHERE b.id = ? AND b.status = 'open')
SELECT id FROM {schema}.muster_batches WHERE id = ?
