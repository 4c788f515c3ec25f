UPDATE {schema}.muster_leaders l SET expires_at = {schema}.muster_clock() + ? * interval '1 millisecond'
  WHERE l.role = ANY (?) AND l.node_id = ? AND l.incarnation = ? AND l.expires_at > {schema}.muster_clock()
  RETURNING l.role
