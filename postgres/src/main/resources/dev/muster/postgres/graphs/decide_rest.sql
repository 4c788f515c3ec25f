-- Goes on with some graphs about which not everything was decided, along index muster_graphs_undecided.
SELECT d.lane_queue, d.lane_capability
FROM {schema}.muster_decide_rest(ARRAY(SELECT g.id FROM {schema}.muster_graphs g WHERE g.undecided ORDER BY g.id LIMIT 10)) d
