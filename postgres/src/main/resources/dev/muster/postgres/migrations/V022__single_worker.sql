-- worker.claiming = false is for a single worker: claims without leases, and nobody beside it. Whether a worker may join is
-- decided in the transaction in which it does, under a lock on the one row of muster_single_worker: shared by workers with
-- leases, which may join together, and exclusive for one without.
ALTER TABLE muster_nodes ADD COLUMN claiming boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN muster_nodes.claiming IS 'worker.claiming of the node: false for a single worker, beside which no other joins.';

CREATE TABLE muster_single_worker (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row)
);
COMMENT ON TABLE muster_single_worker IS 'One row, which workers lock while they join, so that none joins beside one with worker.claiming = false.';
INSERT INTO muster_single_worker DEFAULT VALUES;
