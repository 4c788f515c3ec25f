-- The fence of a write made as leader: no row, no write. FOR KEY SHARE holds up a take-over and not the leader's own
-- renewal, until this transaction ends. A leader that freezes inside is ended by the server after the time given here,
-- between two statements as well as while it does not read an answer. A term that was won on another server is over.
SELECT set_config('idle_in_transaction_session_timeout', ?, true){unread}
FROM {schema}.muster_leaders l
WHERE l.role = ? AND l.term = ? AND l.timeline = ? AND l.incarnation = ?
  AND l.timeline = (SELECT s.timeline FROM {schema}.muster_server s)
FOR KEY SHARE OF l
