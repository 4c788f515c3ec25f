-- A chain of thousands of tasks that are skipped is decided in several transactions, and tasks know that they were cancelled while their
-- job has not ended.

ALTER TABLE muster_graphs ADD COLUMN undecided boolean NOT NULL DEFAULT false;
CREATE INDEX muster_graphs_undecided ON muster_graphs (id) WHERE undecided;
COMMENT ON COLUMN muster_graphs.undecided IS 'Some of its waiting tasks could be decided: whoever decided before them stopped in between.';

ALTER TABLE muster_graph_tasks ADD COLUMN cancel_reason text;
COMMENT ON COLUMN muster_graph_tasks.cancel_reason IS 'Why an operator has cancelled it while it had a job. Null: nobody has.';
