-- Gives up all advisory locks of this session.
SELECT pg_advisory_unlock_all()
