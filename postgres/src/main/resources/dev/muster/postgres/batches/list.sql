-- Batches, newest first. Those that are not closed have no counts.
{batches/parts/columns}, b.live, b.completed, b.failed, b.cancelled, b.expired
FROM {schema}.muster_batches b
WHERE (?::text[] IS NULL OR b.status = ANY (?::text[])) AND (?::text IS NULL OR b.name = ?) AND (?::uuid IS NULL OR b.id < ?)
ORDER BY b.id DESC LIMIT ?
