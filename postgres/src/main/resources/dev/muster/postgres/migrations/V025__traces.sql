-- The trace that a job belongs to. Nothing searches by it, so it has no index, and jobs without one pay nothing for it. Runs have the column
-- from the beginning. The tables are locked in the order in which most transactions do it.

ALTER TABLE muster_graph_tasks ADD COLUMN trace text;
ALTER TABLE muster_batch_jobs ADD COLUMN trace text;
ALTER TABLE muster_jobs ADD COLUMN trace text;
ALTER TABLE muster_job_history ADD COLUMN trace text;
COMMENT ON COLUMN muster_graph_tasks.trace IS 'The W3C traceparent of the span that submitted its graph, which its job will have. Null if there is none.';
COMMENT ON COLUMN muster_batch_jobs.trace IS 'The W3C traceparent of the span that created the batch, which the job will have. Null if there is none.';
COMMENT ON COLUMN muster_jobs.trace IS 'The W3C traceparent of the span that enqueued it: 00-TRACE-SPAN-FLAGS. Null if it belongs to no trace, or its trace was sampled out.';
COMMENT ON COLUMN muster_workflow_runs.trace IS 'The W3C traceparent of the span that started it. Every driver of the run gets it. Null if it belongs to no trace, or its trace was sampled out.';
