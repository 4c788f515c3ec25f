-- Says that a node is alive, and for how long it may be silent from now on. A dead one stays dead: it has to join again.
-- Answers with what its row says, and with a number that changes whenever a node comes, goes or changes its status.
WITH beat AS (
  {nodes/beat})
{nodes/own_row}
