-- A row if there is such a batch and it is not sealed.
SELECT FROM {schema}.muster_batches b WHERE b.id = ? AND b.status = 'open'
