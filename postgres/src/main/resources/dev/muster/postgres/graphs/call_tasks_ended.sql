-- Resolves the tasks whose jobs have ended, along index muster_graph_tasks_job.
SELECT e.lane_queue, e.lane_capability, e.resolved, e.undecided FROM {schema}.muster_tasks_ended(?::uuid[]) e
