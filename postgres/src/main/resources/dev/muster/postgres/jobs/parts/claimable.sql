-- The jobs of a lane and rank that this node may claim now, from the cursor on.
SELECT j.ctid AS tid, j.id, lane.ignore_xmax AND j.xmax <> 0 AND j.xmax <> j.xmin AS xmax_set
    FROM {schema}.muster_jobs j
    WHERE j.status = 'pending' AND j.ready_at < 'infinity' AND (j.xmax = 0 OR j.xmax = j.xmin OR lane.ignore_xmax)
      AND j.queue = lane.queue AND j.capability = lane.capability AND j.rank = lane.rank
      AND j.ready_at <= {schema}.muster_statement_clock()
      AND j.ready_at >= CASE WHEN lane.cursor_micros < 0 THEN '-infinity'
                             ELSE timestamptz 'epoch' + lane.cursor_micros * interval '1 microsecond' END
      AND (?::text[] IS NULL OR j.name = ANY (?::text[]))
      AND (NOT j.suspect OR j.crashes = 0 OR ?)
      AND (j.expires_at IS NULL OR j.expires_at > {schema}.muster_statement_clock())
