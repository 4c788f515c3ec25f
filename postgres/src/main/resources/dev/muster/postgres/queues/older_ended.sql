-- Whether every transaction that wrote anything before this one has ended.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > ?
