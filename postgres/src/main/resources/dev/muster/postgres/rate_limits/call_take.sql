-- Takes permits of rate limits for several calls. By the primary key of muster_rate_limits.
SELECT t.ordinal, t.granted, t.remaining, t.window_began, t.left_us
FROM {schema}.muster_take_permits(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) t
