-- What claims would not come by. A function, because an idle node asks nothing else: it brings its own settings.
SELECT kind, queue, capability, rank, micros, running, number, timeline, claimers, peers, alike
FROM {schema}.muster_look(?, ?::smallint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?, ?)
