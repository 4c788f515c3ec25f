-- Locks a limited queue until the transaction ends, so that one node at a time counts and claims. If another node has the lock, or the
-- queue has no limit or is paused, the setting muster.locked_queue is empty. The statements that follow in the same round trip read it.
SELECT set_config('muster.room', '0', true),
       set_config('muster.locked_queue', coalesce((
         SELECT q.name FROM {schema}.muster_queues q
         WHERE q.name = ? AND q.limited AND q.paused_at IS NULL
         FOR NO KEY UPDATE SKIP LOCKED), ''), true) <> '' AS locked
