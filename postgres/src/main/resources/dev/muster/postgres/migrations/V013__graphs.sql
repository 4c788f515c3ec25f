-- Graphs of tasks: the graphs, their tasks, and what tasks depend on.

CREATE TABLE muster_graphs (
  id               uuid        NOT NULL PRIMARY KEY,
  name             text,
  key              text,
  status           text        NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
  reason           text,
  cancel_requested boolean     NOT NULL DEFAULT false,
  tasks            int         NOT NULL,
  open_tasks       int         NOT NULL,
  created_at       timestamptz NOT NULL,
  finished_at      timestamptz
);
CREATE INDEX muster_graphs_live ON muster_graphs (id) WHERE finished_at IS NULL;
CREATE INDEX muster_graphs_ended ON muster_graphs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX muster_graphs_key ON muster_graphs (key) WHERE key IS NOT NULL;
COMMENT ON TABLE muster_graphs IS 'Graphs of tasks. Whoever decides about the tasks of a graph holds the lock on its row.';
COMMENT ON COLUMN muster_graphs.open_tasks IS 'How many of its tasks have not ended.';
COMMENT ON COLUMN muster_graphs.cancel_requested IS 'The graph was cancelled as a whole.';

CREATE TABLE muster_graph_tasks (
  graph_id           uuid        NOT NULL,
  number             int         NOT NULL,
  job_id             uuid        NOT NULL,
  timeout_ms         bigint,
  started_at         timestamptz,
  finished_at        timestamptz,
  parents_open       int         NOT NULL,
  required_open      int         NOT NULL,
  required_completed int         NOT NULL DEFAULT 0,
  required_failed    int         NOT NULL DEFAULT 0,
  required_cancelled int         NOT NULL DEFAULT 0,
  required_skipped   int         NOT NULL DEFAULT 0,
  priority           smallint    NOT NULL,
  max_attempts       smallint,
  max_crashes        smallint,
  attempt            smallint    NOT NULL DEFAULT 0,
  status             text        NOT NULL DEFAULT 'waiting' CHECK (status IN (
    'waiting', 'enqueued', 'completed', 'failed', 'cancelled', 'skipped')),
  trigger            text        NOT NULL,
  task_id            text        NOT NULL,
  name               text        NOT NULL,
  queue              text        NOT NULL,
  capability         text        NOT NULL,
  node_id            text,
  takes_from         int[],
  tags               text[],
  reason             text,
  error              text,
  inputs             jsonb       NOT NULL,
  metadata           jsonb,
  result             jsonb,
  PRIMARY KEY (graph_id, number)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX muster_graph_tasks_job ON muster_graph_tasks (job_id);
-- For the sweep that finds tasks whose end was missed.
CREATE INDEX muster_graph_tasks_enqueued ON muster_graph_tasks (graph_id, number) WHERE status = 'enqueued';
COMMENT ON TABLE muster_graph_tasks IS 'Tasks of graphs. A task becomes a job when it is ready; its status is then enqueued until the job has ended.';
COMMENT ON COLUMN muster_graph_tasks.number IS 'Its position in the graph as it was submitted, from 0.';
COMMENT ON COLUMN muster_graph_tasks.job_id IS 'The id of its job, drawn before the job exists. A retry draws a new one.';
COMMENT ON COLUMN muster_graph_tasks.parents_open IS 'How many of its parents have not ended. The next five count its required parents by how they stand.';
COMMENT ON COLUMN muster_graph_tasks.takes_from IS 'The numbers of the parents whose results its inputs name.';
COMMENT ON COLUMN muster_graph_tasks.inputs IS 'JSON as it was submitted, or an envelope. A node that runs the task puts results of parents into it.';
COMMENT ON COLUMN muster_graph_tasks.result IS 'Copied from the history of its job as it is stored there, sealed for job_id.';
COMMENT ON COLUMN muster_graph_tasks.reason IS 'Why it was skipped or cancelled.';

CREATE TABLE muster_graph_edges (
  graph_id uuid    NOT NULL,
  parent   int     NOT NULL,
  child    int     NOT NULL,
  required boolean NOT NULL,
  PRIMARY KEY (graph_id, parent, child)
);
CREATE INDEX muster_graph_edges_child ON muster_graph_edges (graph_id, child);
COMMENT ON TABLE muster_graph_edges IS 'What tasks of graphs depend on.';
COMMENT ON COLUMN muster_graph_edges.required IS 'Whether it counts how the parent ends; otherwise its end is only waited for.';
