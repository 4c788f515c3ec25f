-- Records that a node is alive, and for how long it may be silent from now on. A dead node stays dead: it has to join again. Returns
-- the node's row, and a number that changes whenever a node joins, leaves or changes its status.
WITH beat AS (
  {nodes/parts/write_heartbeat})
{nodes/parts/own_row}
