-- The fence of a leader's write: if this returns no row, nothing is written. RoleLeadership is where a node learns that it leads no more. Until this transaction ends, FOR KEY SHARE blocks a
-- take-over, but not the leader's own renewal. If the leader freezes inside the transaction, the server ends it after the time given
-- here, both between two statements and while the leader does not read an answer. A term that was won on another server is over.
SELECT set_config('idle_in_transaction_session_timeout', ?, true){unread}
FROM {schema}.muster_leaders l
WHERE l.role = ? AND l.term = ? AND l.timeline = ? AND l.incarnation = ?
  AND l.timeline = (SELECT s.timeline FROM {schema}.muster_server s)
FOR KEY SHARE OF l
