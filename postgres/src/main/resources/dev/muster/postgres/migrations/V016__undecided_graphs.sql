-- A chain of thousands of tasks that are skipped is decided in several transactions.

ALTER TABLE muster_graphs ADD COLUMN undecided boolean NOT NULL DEFAULT false;
CREATE INDEX muster_graphs_undecided ON muster_graphs (id) WHERE undecided;
COMMENT ON COLUMN muster_graphs.undecided IS 'Some of its waiting tasks could be decided: whoever decided before them stopped in between.';
