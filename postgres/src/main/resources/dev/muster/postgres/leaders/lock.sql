-- Takes the advisory lock of a role in this installation, for as long as this session lives.
SELECT pg_try_advisory_lock(?, '{schema}.muster_leaders'::regclass::oid::bigint::bit(32)::int)
