-- What claims would not come by. A function, because an idle node asks nothing else: it brings its own settings.
SELECT queue, capability, rank, first_micros, paused, running, number, timeline, claimers
FROM {schema}.muster_look(?::smallint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?)
