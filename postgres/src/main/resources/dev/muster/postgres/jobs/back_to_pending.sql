-- What every job that goes back in line loses: its claim. Its attempt, rank and times are up to the statement.
status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL
