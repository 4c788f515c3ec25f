-- What every job that goes back to pending loses: its claim. Its attempt, rank and times are set by each statement.
status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL
